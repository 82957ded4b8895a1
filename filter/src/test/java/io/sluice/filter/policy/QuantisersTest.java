package io.sluice.filter.policy;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.Floats;
import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.NotFiniteException;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is lost, what remains and what arrives under the quantisers. */
class QuantisersTest {
    private static final int MOST = 5_000;

    private final MemorySegment room = OffHeap.allocate(BlockFormat.maxLength(MOST) + 64L);
    private final BlockAccumulator accumulator = new BlockAccumulator(Kernels.preferred());
    private final Block block = new Block();

    private static UpdateFilter filter(String spec) {
        return filter(Kernels.preferred(), spec, 0);
    }

    private static UpdateFilter filter(Kernels kernels, String spec, long stream) {
        return FilterPolicies.named(spec)
                .create(new TableSite(
                        kernels,
                        ValueType.F32,
                        stream,
                        MOST,
                        MOST,
                        MOST,
                        0,
                        FilterSite.NodeTraffic.ofFrames(MOST),
                        ConstantFeedback.UNWATCHED));
    }

    private Block block() {
        return block.wrap(room, 64);
    }

    /** The value that arrives for each element. */
    private float[] sent(int elements) {
        MemorySegment sums = Floats.room(4L * elements, 0);
        accumulator.restore(block, sums, 0);
        return sums.toArray(JAVA_FLOAT_UNALIGNED);
    }

    private static String spec(SplittableRandom random) {
        String options = (random.nextBoolean() ? ";feedback" : "") + ";seed=" + random.nextInt(9);
        return switch (random.nextInt(3)) {
                    case 0 -> "sign";
                    case 1 -> "tern" + options;
                    default -> "qsgd:" + random.nextInt(1, 128) + options;
                }
                + ";group=" + (random.nextInt(4) == 0 ? 0 : 32 * random.nextInt(1, 50));
    }

    /** Values of all magnitudes, with zeros between them. */
    private static float[] values(SplittableRandom random, int elements) {
        double scale = Math.pow(10, random.nextInt(4) == 0 ? random.nextInt(-44, 37) : random.nextInt(-6, 3));
        int present = random.nextInt(1, 5);
        float[] values = new float[elements];
        for (int i = 0; i < elements; i++) {
            values[i] = random.nextInt(present) == 0 ? (float) (random.nextGaussian() * scale) : 0;
        }
        return values;
    }

    @Test
    void twinsSendTheSameBytesAndKeepTheSameResidual() {
        Property.holds(400, random -> {
            String spec = spec(random);
            int elements = random.nextInt(3) == 0 ? random.nextInt(1, MOST + 1) : random.nextInt(1, 300);
            float[] update = values(random, elements);
            MemorySegment before = Floats.of(values(random, elements), 4);
            int way = random.nextInt(3);
            int clock = random.nextInt(1, 99);
            byte[] first = null;
            MemorySegment kept = null;
            for (Kernels twin : new Kernels[] {Kernels.vector(), Kernels.scalar()}) {
                UpdateFilter filter = filter(twin, spec, 3);
                MemorySegment residual = Floats.copyOf(before, 4);
                switch (way) {
                    case 0 -> filter.filter(update, 0, residual, 0, elements, clock, block());
                    case 1 -> filter.filter(Floats.of(update, 8), 0, residual, 0, elements, clock, block());
                    default -> filter.encodeResidual(residual, 0, elements, clock, block());
                }
                byte[] bytes = room.asSlice(64, block.length()).toArray(JAVA_BYTE);
                assertEquals(-1, first == null ? -1 : Arrays.mismatch(first, bytes), spec + ": twins differ");
                assertEquals(-1, kept == null ? -1 : residual.mismatch(kept), spec + ": residuals differ");
                first = bytes;
                kept = residual;
            }
        });
    }

    /**
     * Of a group in which few elements change, all elements get a mean in the first clock. The residual takes it back
     * in the next ones, until only the change remains.
     */
    @Test
    void signSpreadsASparseUpdateAndTakesItBack() {
        int elements = 1_024;
        UpdateFilter filter = filter("sign");
        MemorySegment residual = Floats.room(4L * elements, 0);
        float[] update = new float[elements];
        update[5] = 1;
        update[500] = -2;
        double[] sum = new double[elements];
        for (int clock = 1; clock <= 8; clock++) {
            filter.filter(clock == 1 ? update : new float[elements], 0, residual, 0, elements, clock, block());
            float[] sent = sent(elements);
            for (int i = 0; i < elements; i++) {
                sum[i] += sent[i];
                assertTrue(clock > 1 || sent[i] == (i == 500 ? -2 : 1 / 1_023f), "element " + i + ": " + sent[i]);
            }
        }
        for (int i = 0; i < elements; i++) {
            assertEquals(update[i], sum[i], 1e-6, "element " + i);
        }
    }

    /** What is sent and what remains add up to the sum, but for one rounding of f32. */
    @ParameterizedTest
    @ValueSource(strings = {"sign", "sign;group=0", "tern;feedback", "qsgd:7;feedback", "qsgd:127;group=64;feedback"})
    void withFeedbackNothingIsLost(String spec) {
        Property.holds(100, random -> {
            UpdateFilter filter = filter(spec);
            int elements = random.nextInt(1, MOST + 1);
            MemorySegment residual = Floats.room(4L * elements, 0);
            float[] update = values(random, elements);
            for (int clock = 1; clock <= 5; clock++) {
                float[] sums = residual.toArray(JAVA_FLOAT_UNALIGNED);
                for (int i = 0; i < elements; i++) {
                    sums[i] += update[i];
                }
                filter.filter(update, 0, residual, 0, elements, clock, block());
                float[] sent = sent(elements);
                float[] kept = residual.toArray(JAVA_FLOAT_UNALIGNED);
                float most = 0;
                for (int i = 0; i < elements; i++) {
                    assertTrue(sums[i] - sent[i] == kept[i], "element " + i);
                    double lost = (double) sent[i] + kept[i] - sums[i];
                    assertTrue(Math.abs(lost) <= 0x1p-24 * Math.abs(kept[i]) + Float.MIN_VALUE, "element " + i);
                    most = Math.max(most, Math.abs(kept[i]));
                }
                assertEquals(most, filter.threshold(clock), "the bound is the greatest residual");
                accumulator.restore(block, residual, 0);
                for (int i = 0; i < elements; i++) {
                    float restored = residual.get(JAVA_FLOAT_UNALIGNED, 4L * i);
                    double error = Math.abs((double) restored - sums[i]);
                    assertTrue(error <= 0x1p-23 * (Math.abs(sums[i]) + Math.abs(kept[i])) + Float.MIN_VALUE);
                }
                MemorySegment.copy(kept, 0, residual, JAVA_FLOAT_UNALIGNED, 0, elements);
            }
        });
    }

    /** The mean of what 1-bit SGD sends in a group is the mean of the group. */
    @Test
    void signSendsTheMeansOfBothSides() {
        Property.holds(100, random -> {
            int elements = random.nextInt(64, 2_000);
            float[] update = values(random, elements);
            filter("sign;group=0").filter(update, 0, Floats.room(4L * elements, 0), 0, elements, 1, block());
            if (block.count() == 0) {
                return; // all zeros
            }
            float[] sent = sent(elements);
            double above =
                    Arrays.stream(boxed(update)).filter(v -> !(v < 0)).average().orElse(0);
            double below =
                    Arrays.stream(boxed(update)).filter(v -> v < 0).average().orElse(0);
            for (int i = 0; i < elements; i++) {
                double mean = update[i] < 0 ? below : above;
                assertEquals(mean, sent[i], 1e-5 * Math.abs(mean) + Float.MIN_VALUE, "element " + i);
            }
        });
    }

    private static double[] boxed(float[] values) {
        double[] all = new double[values.length];
        Arrays.setAll(all, i -> values[i]);
        return all;
    }

    /**
     * The mean of many draws is the value, clipped for tern. A draw is one of two neighbouring levels, so by the bound
     * of Hoeffding a mean of n is off by more than {@code step sqrt(ln(2 / p) / 2n)} with probability p, here 1e-13.
     */
    @ParameterizedTest
    @CsvSource({"tern, 0", "tern;group=64, 0", "qsgd:1, 1", "qsgd:5;group=128, 5", "qsgd:127, 127"})
    @Tag("slow")
    void withoutFeedbackTheExpectedValueIsTheSum(String spec, int levels) {
        int elements = 256;
        int draws = 4_000;
        Property.holds(3, random -> {
            UpdateFilter filter = filter(Kernels.preferred(), spec, random.nextLong());
            float[] update = new float[elements];
            Gradients.HEAVY.fill(random, update);
            MemorySegment residual = Floats.room(4L * elements, 0);
            double[] total = new double[elements];
            float[] largest = new float[elements];
            for (int clock = 1; clock <= draws; clock++) {
                filter.filter(update, 0, residual, 0, elements, clock, block());
                float[] sent = sent(elements);
                for (int i = 0; i < elements; i++) {
                    total[i] += sent[i];
                    largest[i] = Math.max(largest[i], Math.abs(sent[i]));
                }
            }
            assertEquals(0, Kernels.preferred().values().maxAbs(residual.address(), elements), "nothing is kept");
            int group = spec.contains("=") ? Integer.parseInt(spec.split("=")[1]) : elements;
            for (int start = 0; start < elements; start += group) {
                double scale = 0;
                double squares = 0;
                for (int i = start; i < start + group; i++) {
                    scale = Math.max(scale, largest[i]);
                    squares += (double) update[i] * update[i];
                }
                double step = levels == 0 ? scale : Math.sqrt(squares) / levels;
                double bound = step * (Math.sqrt(Math.log(2e13) / (2 * draws)) + 1e-5);
                for (int i = start; i < start + group; i++) {
                    double expected = levels == 0 ? Math.clamp(update[i], -scale, scale) : update[i];
                    assertEquals(expected, total[i] / draws, bound, spec + ", element " + i);
                }
            }
        });
    }

    /**
     * The residual stays within a multiple c of the greatest update over 10,000 clocks. A quantiser that takes away the
     * share d of the squared norm leaves at most 2 / d of the update's norm; d is 1 / (1 + omega) of qsgd, at least 1 /
     * sqrt(group) of tern, and about 2 / pi of sign while values are normal.
     */
    @ParameterizedTest
    @CsvSource({
        "sign, 12",
        "sign;group=64, 12",
        "tern;feedback, 64",
        "tern;feedback;group=64, 16",
        "qsgd:15;feedback, 7",
        "qsgd:3;feedback;group=128, 10",
        "qsgd:127;feedback, 2.6"
    })
    @Tag("slow")
    void residualsStayBounded(String spec, double c) {
        int elements = 2_048;
        float[] update = new float[elements];
        for (Gradients gradients : Gradients.values()) {
            Property.holds(1, random -> {
                float[][] updates = new float[64][elements];
                for (float[] one : updates) {
                    gradients.fill(random, one);
                }
                UpdateFilter filter = filter(spec);
                MemorySegment residual = Floats.room(4L * elements, 0);
                double greatest = 0;
                double most = 0;
                for (int clock = 1; clock <= 10_000; clock++) {
                    System.arraycopy(updates[random.nextInt(updates.length)], 0, update, 0, elements);
                    greatest = Math.max(greatest, norm(update));
                    filter.filter(update, 0, residual, 0, elements, clock, block());
                    if (clock % 10 == 0) {
                        most = Math.max(most, norm(residual.toArray(JAVA_FLOAT_UNALIGNED)));
                    }
                }
                assertTrue(most <= c * greatest, spec + ", " + gradients + ": " + most / greatest);
            });
        }
    }

    private static double norm(float[] values) {
        double squares = 0;
        for (float value : values) {
            squares += (double) value * value;
        }
        return Math.sqrt(squares);
    }

    /** What filters of all sites send in all clocks differs, and a second run repeats it. */
    @ParameterizedTest
    @ValueSource(strings = {"tern", "qsgd:3;feedback"})
    void drawsFollowFromTheSiteTheSliceTheClockAndTheSeed(String spec) {
        byte[] first = bytes(spec, 1, 0, 1);
        assertEquals(-1, Arrays.mismatch(first, bytes(spec, 1, 0, 1)));
        assertNotEquals(-1, Arrays.mismatch(first, bytes(spec, 2, 0, 1)), "another site");
        assertNotEquals(-1, Arrays.mismatch(first, bytes(spec, 1, 500, 1)), "another slice");
        assertNotEquals(-1, Arrays.mismatch(first, bytes(spec, 1, 0, 2)), "another clock");
        assertNotEquals(-1, Arrays.mismatch(first, bytes(spec + ";seed=1", 1, 0, 1)), "another seed");
        assertNotEquals(TableSite.stream(1, 0), TableSite.stream(0, 1));
    }

    private byte[] bytes(String spec, long stream, int start, int clock) {
        float[] update = new float[500];
        Gradients.GAUSSIAN.fill(new SplittableRandom(1), update);
        MemorySegment residual = Floats.room(4_000, 0);
        filter(Kernels.preferred(), spec, stream).filter(update, 0, residual, 4L * start, 500, clock, block());
        return room.asSlice(64, block.length()).toArray(JAVA_BYTE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sign", "tern", "tern;feedback", "qsgd:1", "qsgd:127;feedback"})
    void slicesOfZerosAndShortSlices(String spec) {
        UpdateFilter filter = filter(spec);
        for (float zero : new float[] {0.0f, -0.0f}) {
            float[] zeros = new float[1_000];
            Arrays.fill(zeros, zero);
            filter.filter(zeros, 0, Floats.room(4_000, 0), 0, 1_000, 1, block());
            assertEquals(BlockFormat.EMPTY, block.format());
            assertEquals(0, block.count());
        }
        for (int elements = 1; elements <= 40; elements++) {
            float[] update = new float[elements];
            Arrays.fill(update, 0.75f);
            MemorySegment residual = Floats.room(4L * elements, 0);
            filter.filter(update, 0, residual, 0, elements, 1, block());
            assertTrue(block.length() <= 4 * elements, elements + " elements take " + block.length());
            assertTrue(elements > 2 || block.values() != ValueType.LEVELS, "f32 is no longer");
            assertTrue(elements < 9 || block.values() == ValueType.LEVELS, elements + " elements");
        }
    }

    /** First values and the clocks of the warm-up arrive in full, and what rounding left of them is not lost. */
    @Test
    void theWarmUpIsExact() {
        UpdateFilter filter = filter("sign;warmup=3");
        float[] update = new float[600];
        Gradients.HEAVY.fill(new SplittableRandom(1), update);
        MemorySegment residual = Floats.room(4L * update.length, 0);
        for (int clock = 0; clock <= 3; clock++) {
            filter.filter(update, 0, residual, 0, update.length, clock, block());
            assertEquals(-1, Arrays.mismatch(update, sent(update.length)), "clock " + clock);
            assertEquals(0, filter.threshold(clock));
        }
        filter.filter(update, 0, residual, 0, update.length, 4, block());
        assertEquals(ValueType.LEVELS, block.values());
        assertTrue(block.length() < 4 * update.length / 25, "a twenty-fifth of f32");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sign", "tern", "qsgd:7"})
    void sumsThatAreNotFiniteAreRefused(String spec) {
        UpdateFilter filter = filter(spec);
        for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
            float[] update = new float[100];
            update[77] = bad;
            MemorySegment residual = Floats.room(400, 0);
            NotFiniteException e = assertThrows(
                    NotFiniteException.class, () -> filter.filter(update, 0, residual, 0, 100, 1, block()));
            assertEquals(77, e.element());
            MemorySegment sums = Floats.of(update, 0);
            e = assertThrows(NotFiniteException.class, () -> filter.encodeResidual(sums, 0, 100, 1, block()));
            assertEquals(77, e.element());
        }
    }
}
