package io.sluice.perf.broadcast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.cluster.Cost;
import io.sluice.perf.cluster.Star;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BroadcastRowTest {
    /** 25 MB over 200 Mbit/s take a second. */
    private static final BroadcastPlan PLAN = new BroadcastPlan(new Star(2, 4, 200_000_000, 1_500), 6_250_000, 1, 3);

    private static final List<Broadcast> SEEN = List.of(
            new Broadcast(2, new Cost(5, 50_000_000, 100_000_000, 1)),
            new Broadcast(1, new Cost(3, 75_000_000, 130_000_000, 0)),
            new Broadcast(3, new Cost(4, 60_000_000, 110_000_000, 7)));

    @TempDir
    private Path folder;

    @Test
    void takesMediansAndAddsDropsUp() {
        BroadcastRow row = BroadcastRow.of(PLAN, "chain", 1, SEEN);
        BroadcastRow expected = new BroadcastRow(
                "chain",
                4,
                2,
                25_000_000,
                200_000_000,
                1,
                2,
                1.5,
                2.5,
                2,
                4,
                60_000_000,
                2.4,
                110_000_000,
                8,
                3,
                null,
                null);
        assertEquals(expected, row);
        assertEquals(-0.25, row.beside(1.5).simulationError());
    }

    /** The last worker's start counts, whatever the others noted; the slowest one's end, also if the clock wraps. */
    @Test
    void timesFromTheLastWorkersWordToTheSlowestEnd() {
        long wrap = Long.MAX_VALUE - 500_000_000;
        List<BroadcastTask.Times> times = List.of(
                new BroadcastTask.Times(new long[] {wrap - 7}, new long[] {wrap + 1_500_000_000}),
                new BroadcastTask.Times(new long[] {wrap}, new long[] {wrap + 250_000_000}));
        assertEquals(1.5, BroadcastTask.seconds(times, 0), 1e-9);
    }

    @Test
    void printsALineForEachWayAndDraws() throws IOException {
        System.setProperty("java.awt.headless", "true");
        List<BroadcastRow> rows =
                List.of(BroadcastRow.of(PLAN, "flat", 1, SEEN), BroadcastRow.of(PLAN, "chain", 1, SEEN));
        StringWriter text = new StringWriter();
        BroadcastReport.print(PLAN, rows, new PrintWriter(text));
        assertEquals(2 + 1 + 2, text.toString().lines().count(), text::toString);
        Path plot = folder.resolve("broadcast.svg");
        BroadcastReport.plot(rows, plot);
        assertTrue(Files.size(plot) > 0);
    }

    /**
     * Without a tree servers send all N times, within a budget; in chains workers pass on within theirs what comes, but
     * for what is for nobody behind them.
     */
    @Test
    void simulatesWhatTheoryAndHeadersSay() {
        int slice = 16_320;
        double budgeted = 1.0785;
        double wire = PLAN.star().wireSeconds(PLAN.bytes());
        double frame = PLAN.star().frameSeconds(slice * Float.BYTES);
        assertEquals(2 * budgeted, LabSimulation.seconds(PLAN, "flat", slice) / wire, 0.02);
        double chain = LabSimulation.seconds(PLAN, "chain", slice);
        assertTrue(chain >= budgeted * wire && chain < budgeted * wire + 6 * frame, "" + chain / wire);
    }
}
