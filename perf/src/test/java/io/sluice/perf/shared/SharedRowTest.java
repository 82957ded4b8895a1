package io.sluice.perf.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.cluster.Usage;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SharedRowTest {
    private static final Shared PLAN = new Shared(new Settings(Shared.SCENARIO, Map.of("clocks", "10,20,30")));
    private static final int CLOCKS = 60 + 10 + 20 + 30;

    /** What the workers and links of a turn did. */
    private record Turn(List<Shared.Clocks> workers, List<Usage> traffic) {}

    /** Clocks of a tenth of a second, and of a multiple of it while others send. */
    private static Turn turn(double slower, long retransmitted) {
        double[] seconds = new double[CLOCKS];
        double[] kept = new double[CLOCKS];
        for (int clock = 0; clock < seconds.length; clock++) {
            boolean cross = clock >= PLAN.start(Shared.Phase.CROSS) && clock < PLAN.end(Shared.Phase.CROSS);
            seconds[clock] = cross ? 0.1 * slower : 0.1;
            kept[clock] = cross ? 0.02 : 0.08;
        }
        Shared.Clocks one = new Shared.Clocks(seconds, kept, 7);
        double[] less = Arrays.stream(seconds).map(second -> second / 2).toArray();
        Shared.Clocks other = new Shared.Clocks(less, kept, 7);
        List<Usage> traffic = new ArrayList<>();
        for (int bytes : new int[] {1_000, 2_000, 3_000}) {
            traffic.add(new Usage(new long[0], 3, 4, bytes, retransmitted, 0, 0, bytes));
        }
        return new Turn(List.of(other, one), traffic);
    }

    @Test
    void phasesFollowOneAnotherAndFillTheTurn() {
        assertEquals(60, PLAN.start(Shared.Phase.BEFORE));
        assertEquals(PLAN.end(Shared.Phase.BEFORE), PLAN.start(Shared.Phase.CROSS));
        assertEquals(PLAN.end(Shared.Phase.CROSS), PLAN.start(Shared.Phase.AFTER));
        assertEquals(PLAN.end(Shared.Phase.AFTER), CLOCKS);
    }

    @Test
    void sumsUpTheSlowestWorkerOfAllTurns() {
        Row row = cross(Shared.Threshold.ADAPTIVE, turn(2, 10), turn(2, 30));
        assertEquals(40, row.get("clocks"));
        assertEquals(200, row.number("clock_ms"), 1e-9);
        assertEquals(2, row.number("ratio"), 1e-9);
        assertEquals(2, row.number("p95_ratio"), 1e-9);
        assertEquals(0.02, row.number("kept"), 1e-9);
        assertEquals(100, row.number("bytes_per_clock"), 1e-9);
        assertEquals(0.01, row.number("retransmitted"), 1e-9);
        assertEquals(6L, row.get("dropped"));
        assertEquals(2_000L, row.get("least_rate"));
        assertEquals("adaptive:4.0,12.0;min=25000000bit", row.text("filter"));
        assertEquals(20, row.numbers("clock_series_ms").length);
        assertEquals(PLAN.start(Shared.Phase.CROSS) + 1, row.numbers("clock_series")[0]);
    }

    private static Row cross(Shared.Threshold threshold, Turn... turns) {
        List<Sample> samples = new ArrayList<>();
        for (Turn turn : turns) {
            samples.addAll(PLAN.samples(threshold, turn.workers(), turn.traffic()));
        }
        return Shared.SCENARIO.layout().rows(samples).get(Shared.Phase.CROSS.ordinal());
    }

    @Test
    void saysWhetherThatIsBearable() {
        assertTrue(conclusion(1.4, 0).contains(" 1.40 times as long (within 1.5), 0.000 % "), conclusion(1.4, 0));
        assertTrue(
                conclusion(1.6, 20).endsWith("(not within 1.5), 1.000 % of bytes were retransmitted (not below 1 %)"));
    }

    private static String conclusion(double slower, long retransmitted) {
        return Shared.conclusion(cross(Shared.Threshold.FIXED, turn(slower, retransmitted)));
    }

    /** Mean 0, mean magnitude 1 / sqrt(t): otherwise a threshold would not pass the same share at all times. */
    @Test
    void gradientsShrinkAsStepsDo() {
        Gradients gradients = new Gradients(1 << 18, 1);
        for (int clock : new int[] {1, 4, 100}) {
            double sum = 0;
            double magnitude = 0;
            for (float value : gradients.next(clock)) {
                sum += value;
                magnitude += Math.abs(value);
            }
            assertEquals(1 / Math.sqrt(clock), magnitude / (1 << 18), 0.01 / Math.sqrt(clock));
            assertEquals(0, sum / (1 << 18), 0.02 / Math.sqrt(clock));
        }
    }
}
