package io.sluice.filter.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.Floats;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The filter's pass: twins against each other, bit for bit, and both against the contract. */
class ThresholdKernelTest {
    private static final float[] THRESHOLDS = {0.0f, 1e-40f, 0.5f, 1.0f, 3.0f, Float.MAX_VALUE};
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final ThresholdKernel vector = Kernels.vector().split();
    private final ThresholdKernel scalar = Kernels.scalar().split();

    /** Residual, bitmap and values after a pass, and how many values. */
    private record Outcome(GuardedRoom residual, GuardedRoom bitmap, GuardedRoom values, int count) {
        void assertSameAs(Outcome other) {
            assertEquals(count, other.count, "count");
            assertEquals(-1, residual.inside().mismatch(other.residual.inside()), "residual");
            assertEquals(-1, bitmap.inside().mismatch(other.bitmap.inside()), "bitmap");
            assertEquals(-1, kept().mismatch(other.kept()), "values");
        }

        void assertNothingElseTouched() {
            residual.assertUntouchedAround();
            bitmap.assertUntouchedAround();
            values.assertUntouchedAround();
        }

        MemorySegment kept() {
            return values.inside().asSlice(0, 4L * count);
        }
    }

    @Test
    void allLengthsUpTo200() {
        Property.holds(1, random -> {
            for (int elements = 0; elements <= 200; elements++) {
                for (float threshold : THRESHOLDS) {
                    compare(random, elements, threshold);
                }
            }
        });
    }

    @Test
    void randomLengths() {
        Property.holds(
                300, random -> compare(random, random.nextInt(5000), THRESHOLDS[random.nextInt(THRESHOLDS.length)]));
    }

    private void compare(SplittableRandom random, int elements, float threshold) {
        int shift = random.nextInt(8);
        boolean bf16 = random.nextBoolean();
        float[] update = new float[elements];
        MemorySegment residual = Floats.room(4L * elements, 0);
        fill(random, update, residual);
        Outcome expected = run(scalar, update, residual, threshold, bf16, shift, Source.UPDATE_AND_RESIDUAL);
        run(vector, update, residual, threshold, bf16, shift, Source.UPDATE_AND_RESIDUAL)
                .assertSameAs(expected);
        assertConserved(update, residual, threshold, bf16, expected);

        Outcome residualOnly = run(scalar, update, residual, threshold, bf16, shift, Source.RESIDUAL);
        run(vector, update, residual, threshold, bf16, shift, Source.RESIDUAL).assertSameAs(residualOnly);
        assertConserved(null, residual, threshold, bf16, residualOnly);
    }

    private static void fill(SplittableRandom random, float[] update, MemorySegment residual) {
        MemorySegment wrapped = MemorySegment.ofArray(update);
        if (random.nextBoolean()) {
            Floats.fillWithSpecials(random, residual);
            Floats.fillWithSpecials(random, wrapped);
            Floats.separateNaNs(residual, wrapped);
            Floats.quietNaNs(residual);
        } else {
            Floats.fillNormal(random, residual);
            Floats.fillNormal(random, wrapped);
        }
    }

    /** What the kernel filters. */
    private enum Source {
        UPDATE_AND_RESIDUAL,
        RESIDUAL
    }

    private static Outcome run(
            ThresholdKernel kernel,
            float[] update,
            MemorySegment before,
            float threshold,
            boolean bf16,
            int shift,
            Source source) {
        int elements = update.length;
        GuardedRoom residual = GuardedRoom.holding(before, shift);
        GuardedRoom bitmap = new GuardedRoom(BlockFormat.bitmapLength(elements), shift);
        GuardedRoom values = new GuardedRoom(4L * elements, shift);
        long r = residual.address();
        long b = bitmap.address();
        long v = values.address();
        int count = switch (source) {
            case UPDATE_AND_RESIDUAL -> {
                MemorySegment copy = Floats.of(update, shift);
                yield kernel.filter(copy.address(), r, elements, threshold, bf16, b, v);
            }
            case RESIDUAL -> kernel.filterResidual(r, elements, threshold, bf16, b, v);
        };
        Outcome outcome = new Outcome(residual, bitmap, values, count);
        outcome.assertNothingElseTouched();
        return outcome;
    }

    /** Invariants 1 and 2: sent + residual is the input, and values above the threshold are sent. */
    private static void assertConserved(
            float[] update, MemorySegment before, float threshold, boolean bf16, Outcome outcome) {
        int next = 0;
        for (int i = 0; i < before.byteSize() / Float.BYTES; i++) {
            float r = before.get(F32, 4L * i);
            float v = update == null ? r : r + update[i];
            float left = outcome.residual.inside().get(F32, 4L * i);
            long word = outcome.bitmap.inside().get(ValueLayout.JAVA_LONG_UNALIGNED, i / 64 * 8L);
            boolean sent = (word >>> i & 1) != 0;
            boolean sendable = !bf16 || Math.abs(v) <= ThresholdKernel.GREATEST_BF16;
            boolean above = !(Math.abs(v) <= threshold) && sendable;
            assertEquals(above, sent, "element " + i + ": " + v);
            if (!sent) {
                assertEquals(Float.floatToRawIntBits(v), Float.floatToRawIntBits(left), "element " + i);
                continue;
            }
            float value = outcome.values.inside().get(F32, 4L * next++);
            if (bf16) {
                assertEquals(0, Float.floatToRawIntBits(value) & 0xFFFF, "a bfloat16 has no lower half");
                assertTrue(Math.abs(left) <= Math.abs(v) / 256 || Math.abs(v) < Float.MIN_NORMAL, v + " as " + value);
                assertEquals(v, (double) value + left, "element " + i);
            } else {
                assertEquals(Float.floatToRawIntBits(v), Float.floatToRawIntBits(value), "element " + i);
                assertEquals(0, Float.floatToRawIntBits(left), "element " + i);
            }
        }
        assertEquals(next, outcome.count);
    }
}
