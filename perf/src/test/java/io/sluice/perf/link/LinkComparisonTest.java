package io.sluice.perf.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.race.Result;
import io.sluice.perf.race.Turn;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Ratios and warnings from results that are made up. */
final class LinkComparisonTest {
    private static final int FRAMES = 1_000;
    private static final int LENGTH = 4_096;
    private static final long MS = 1_000_000;

    private static LinkComparison comparison(LinkMode mode, long[] turnNanos, long[] latencyNanos) {
        List<Result<LinkEntrant>> results = new ArrayList<>();
        for (LinkStack stack : LinkStack.values()) {
            int place = stack.ordinal();
            Turn turn = new Turn(
                    2,
                    turnNanos[place],
                    2L * FRAMES * LENGTH,
                    2 * FRAMES,
                    0,
                    4L * FRAMES,
                    mode.recordsLatencies() ? histogram(latencyNanos[place]) : null);
            results.add(new Result<>(entrant(mode, stack), List.of(turn, turn, turn)));
        }
        return LinkComparison.of(results);
    }

    private static LinkEntrant entrant(LinkMode mode, LinkStack stack) {
        return new LinkEntrant(
                new LinkTrial(mode, LinkMedium.IPC, LENGTH, stack, FRAMES, 10_000, Waiting.YIELD, false, 1, "nowhere"));
    }

    private static Histogram histogram(long nanos) {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(nanos, 98);
        histogram.recordValueWithCount(10 * nanos, 2);
        return histogram;
    }

    @Test
    void throughputIsInMegabytesOfWhatArrived() {
        LinkRow row = comparison(LinkMode.THROUGHPUT, new long[] {4 * MS, 8 * MS, 5 * MS, 10 * MS}, null)
                .row();
        // 2,000 frames of 4,096 bytes in 4 ms.
        assertEquals(2_048, row.raw(), 1e-6);
        assertEquals(0.8, row.ratio(), 1e-9);
        assertEquals(1.6, row.ratioToRawChecked(), 1e-9);
        assertEquals(819.2, row.oursSealing(), 1e-6);
        assertEquals("MB/s", row.unit());
        assertEquals(400_000, row.framesPerSecond(), 1e-6);
        assertEquals(2, row.allocatedPerFrame(), 1e-9);
        assertNull(row.p50Us());
        assertNull(row.p99Ratio());
        assertNull(row.rateMet());
    }

    @Test
    void roundTripsAreInMicroseconds() {
        long[] nanos = {MS, MS, MS, MS};
        LinkRow row = comparison(LinkMode.RTT, nanos, new long[] {1_000, 1_100, 1_200, 1_300})
                .row();
        assertEquals("us", row.unit());
        assertEquals(1.2, row.ours(), 0.002);
        assertEquals(1.0, row.raw(), 0.002);
        assertEquals(1.2, row.ratio(), 0.004);
        assertEquals(1.2, row.p99Ratio(), 0.004);
        assertEquals(1.2, row.p50Us(), 0.002);
        assertEquals(12, row.p99Us(), 0.02);
        assertEquals(10, row.rawP99Us(), 0.02);
        assertNull(row.rateMet());
    }

    @Test
    void anOpenLoopThatDidNotKeepItsRateSaysSo() {
        // 2,000 frames at 10,000 a second are 200 ms.
        long[] nanos = {200 * MS, 201 * MS, 210 * MS, 201 * MS};
        LinkComparison comparison = comparison(LinkMode.OPEN_LOOP, nanos, new long[] {1_000, 1_000, 1_000, 1_000});
        assertTrue(comparison.row().rawRateMet());
        assertFalse(comparison.row().rateMet());
        StringWriter out = new StringWriter();
        LinkReport.print(List.of(comparison), new PrintWriter(out, true));
        List<String> warnings = out.toString()
                .lines()
                .filter(line -> line.startsWith("WARNING"))
                .toList();
        assertEquals(1, warnings.size(), out::toString);
        assertTrue(
                warnings.getFirst().startsWith("WARNING: ours ipc 4096 made 9,524 of 10,000 frames a second"),
                warnings::toString);
    }

    @Test
    void bytesThatDidNotArriveAreAnError() {
        Turn turn = new Turn(1, MS, (FRAMES - 1L) * LENGTH, FRAMES, 0);
        Result<LinkEntrant> result = new Result<>(entrant(LinkMode.THROUGHPUT, LinkStack.RAW), List.of(turn));
        String message = assertThrows(IllegalStateException.class, () -> LinkFigures.of(result))
                .getMessage();
        assertEquals("raw ipc 4096: 4091904 bytes arrived of 4096000 sent", message);
    }
}
