package io.sluice.filter.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Updates that give an estimator little information. Conservation and bound are checked by the rig. */
class DegenerateInputsTest {
    private static final int ELEMENTS = 3_001;
    private static final int CLOCKS = 40;

    static Stream<String> policies() {
        return Stream.of(
                "dvf:0.1",
                "adaptive:0.1,0.2",
                "density:0.01",
                "sidco:0.01",
                "topk:0.01",
                "budget:1kb",
                "density:0.01;warmup=5;every=2");
    }

    @ParameterizedTest
    @MethodSource("policies")
    void zerosSendNothing(String spec) {
        assertEquals(0, run(spec, 10, i -> 0));
        assertEquals(0, run(spec, 10, i -> -0.0));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void equalMagnitudesAreNotHeldBackForEver(String spec) {
        assertTrue(run(spec, CLOCKS, i -> 0.25) > 0);
        assertTrue(run(spec, CLOCKS, i -> -0.25) > 0);
    }

    /** From the first clock on there is one value among zeros. */
    @ParameterizedTest
    @MethodSource("policies")
    void oneHugeValueIsSent(String spec) {
        assertEquals(1, run(spec, 1, i -> i == 1234 ? 3e38 : 0));
        assertEquals(1, run(spec, 1, i -> i == ELEMENTS - 1 ? -3e38 : 0));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void oneHugeValueAmongSmallOnes(String spec) {
        assertTrue(run(spec, CLOCKS, i -> i == 1234 ? 1e37 : Math.sin(i)) > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"density:0.01", "sidco:0.01", "topk:0.01", "budget:1kb", "none"})
    void denormalsAreNumbersToo(String spec) {
        long kept = run(spec, CLOCKS, i -> Float.MIN_VALUE * (1 + i % 900));
        assertTrue(kept > 0);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void updatesThatStop(String spec) {
        TableRig rig = new TableRig(spec, ELEMENTS, 512, false);
        float[] update = new float[ELEMENTS];
        SplittableRandom random = new SplittableRandom(2);
        for (int clock = 1; clock <= CLOCKS; clock++) {
            if (clock % 10 < 5) {
                Gradients.GAUSSIAN.fill(random, update);
            } else {
                Arrays.fill(update, 0);
            }
            rig.clock(clock, update, random);
        }
    }

    /** A frozen layer, or a server without pushes: values are still sent after a clock of zeros. */
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"density:0.5", "sidco:0.5", "budget:40kb", "topk:0.5", "density:0.5;every=3"})
    void oneClockOfZeros(String spec) {
        for (boolean server : new boolean[] {false, true}) {
            TableRig rig = new TableRig(spec, 20_000, 4096, server);
            SplittableRandom random = new SplittableRandom(3);
            float[] update = new float[20_000];
            for (int clock = 1; clock <= CLOCKS; clock++) {
                for (int i = 0; i < update.length; i += 10) {
                    update[i] = clock == 5 ? 0 : (float) random.nextGaussian();
                }
                rig.clock(clock, update, random);
                assertTrue(clock == 5 || rig.kept() > 0, spec + " sends nothing in clock " + clock);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void oneElement(String spec) {
        for (boolean server : new boolean[] {false, true}) {
            TableRig rig = new TableRig(spec, 1, 1, server);
            long kept = 0;
            for (int clock = 1; clock <= CLOCKS; clock++) {
                rig.clock(clock, new float[] {clock % 3 - 0.5f}, new SplittableRandom(1));
                kept += rig.kept();
            }
            assertTrue(kept > 0);
        }
    }

    private static long run(String spec, int clocks, IntToDoubleFunction values) {
        TableRig rig = new TableRig(spec, ELEMENTS, 512, false);
        float[] update = new float[ELEMENTS];
        for (int i = 0; i < ELEMENTS; i++) {
            update[i] = (float) values.applyAsDouble(i);
        }
        long kept = 0;
        for (int clock = 1; clock <= clocks; clock++) {
            rig.clock(clock, update, new SplittableRandom(clock));
            kept += rig.kept();
        }
        return kept;
    }
}
