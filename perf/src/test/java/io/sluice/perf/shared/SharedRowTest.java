package io.sluice.perf.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.cluster.Usage;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SharedRowTest {
    private static final SharedPlan PLAN =
            new SharedPlan(2, 1 << 20, 60_000_000, 100_000_000, 0.7, List.of(10, 20, 30), 4, 12, 25_000_000);

    /** Clocks of a tenth of a second, and of a multiple of it while others send. */
    private static Turn turn(double slower, long retransmitted) {
        double[] seconds = new double[PLAN.allClocks()];
        double[] kept = new double[PLAN.allClocks()];
        for (int clock = 0; clock < seconds.length; clock++) {
            boolean cross = clock >= PLAN.start(Phase.CROSS) && clock < PLAN.end(Phase.CROSS);
            seconds[clock] = cross ? 0.1 * slower : 0.1;
            kept[clock] = cross ? 0.02 : 0.08;
        }
        Turn.Clocks one = new Turn.Clocks(seconds, kept, 7);
        double[] less = Arrays.stream(seconds).map(second -> second / 2).toArray();
        Turn.Clocks other = new Turn.Clocks(less, kept, 7);
        List<Usage> traffic = new ArrayList<>();
        for (int bytes : new int[] {1_000, 2_000, 3_000}) {
            traffic.add(new Usage(new long[0], 3, 4, bytes, retransmitted, 0, 0, bytes));
        }
        return new Turn(List.of(other, one), traffic);
    }

    @Test
    void phasesFollowOneAnotherAndFillTheTurn() {
        assertEquals(SharedPlan.WARMUP, PLAN.start(Phase.BEFORE));
        assertEquals(PLAN.end(Phase.BEFORE), PLAN.start(Phase.CROSS));
        assertEquals(PLAN.end(Phase.CROSS), PLAN.start(Phase.AFTER));
        assertEquals(PLAN.end(Phase.AFTER), PLAN.allClocks());
    }

    @Test
    void sumsUpTheSlowestWorkerOfAllTurns() {
        Row row = cross(Threshold.ADAPTIVE, turn(2, 10), turn(2, 30));
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
        assertEquals(PLAN.start(Phase.CROSS) + 1, row.numbers("clock_series")[0]);
    }

    private static Row cross(Threshold threshold, Turn... turns) {
        List<Sample> samples = new ArrayList<>();
        for (Turn turn : turns) {
            samples.addAll(Shared.samples(PLAN, threshold, turn));
        }
        return Shared.SCENARIO.layout().rows(samples).get(Phase.CROSS.ordinal());
    }

    @Test
    void saysWhetherThatIsBearable() {
        assertTrue(conclusion(1.4, 0).contains(" 1.40 times as long (within 1.5), 0.000 % "), conclusion(1.4, 0));
        assertTrue(
                conclusion(1.6, 20).endsWith("(not within 1.5), 1.000 % of bytes were retransmitted (not below 1 %)"));
    }

    private static String conclusion(double slower, long retransmitted) {
        return Shared.conclusion(cross(Threshold.FIXED, turn(slower, retransmitted)));
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
