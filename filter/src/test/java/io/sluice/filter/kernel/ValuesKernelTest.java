package io.sluice.filter.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.LogScale;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.filter.Floats;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Columns of values: twins against each other, and the error of decoded values against the bounds of the types. */
class ValuesKernelTest {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final ValuesKernel[] kernels = {
        Kernels.vector().values(), Kernels.scalar().values()
    };

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEVELS")
    void twinsAgree(ValueType type) {
        Property.holds(400, random -> {
            int count = random.nextInt(3) == 0 ? random.nextInt(1, 3000) : random.nextInt(1, 100);
            MemorySegment values = values(random, type, count);
            MemorySegment column = null;
            MemorySegment back = null;
            for (ValuesKernel kernel : kernels) {
                GuardedRoom encoded = new GuardedRoom(5L * count + 8 + ValuesKernel.SLACK, random.nextInt(4));
                int length = kernel.encode(type, values.address(), count, encoded.address());
                encoded.assertUntouchedAround();
                MemorySegment written = encoded.inside().asSlice(0, length);
                assertEquals(type.length(written.address(), count), length);
                assertEquals(-1, column == null ? -1 : column.mismatch(written), "twins encode differently");
                column = Floats.copyOf(written, random.nextInt(4));

                GuardedRoom decoded = new GuardedRoom(4L * count + ValuesKernel.SLACK, random.nextInt(4));
                kernel.decode(type, column.address(), count, decoded.address());
                decoded.assertUntouchedAround();
                MemorySegment read = decoded.inside().asSlice(0, 4L * count);
                assertEquals(-1, back == null ? -1 : back.mismatch(read), "twins decode differently");
                back = read;
            }
            assertError(type, values, back, count);
        });
    }

    /** Values as a filter leaves them for a type: finite, and rounded already where the kernel has done it. */
    private static MemorySegment values(SplittableRandom random, ValueType type, int count) {
        MemorySegment values = Floats.room(4L * count + ValuesKernel.SLACK, random.nextInt(8));
        MemorySegment used = values.asSlice(0, 4L * count);
        if (random.nextInt(4) == 0) {
            Floats.fillWithSpecials(random, used);
        } else {
            Floats.fillNormal(random, used);
        }
        double scale = random.nextInt(3) == 0 ? Math.pow(10, random.nextInt(-8, 5)) : 1;
        for (int k = 0; k < count; k++) {
            float value = (float) (used.get(F32, 4L * k) * scale);
            float finite = Float.isFinite(value) ? value : random.nextInt(-3, 4);
            int mask = type.plain() == ValueType.BF16 ? 0xFFFF0000 : -1;
            used.set(F32, 4L * k, Float.intBitsToFloat(Float.floatToRawIntBits(finite) & mask));
        }
        return values;
    }

    private static void assertError(ValueType type, MemorySegment values, MemorySegment back, int count) {
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (int k = 0; k < count; k++) {
            int bits = Floats.bits(values, k) & Integer.MAX_VALUE;
            least = bits == 0 ? least : Math.min(least, bits);
            most = Math.max(most, bits);
        }
        int step = LogScale.step(most == 0 ? 0 : least, most);
        for (int k = 0; k < count; k++) {
            float value = values.get(F32, 4L * k);
            float read = back.get(F32, 4L * k);
            int bits = Float.floatToRawIntBits(value);
            int readBits = Float.floatToRawIntBits(read);
            switch (type) {
                case F16 -> {
                    double bound = Math.abs(value) > 65504
                            ? Math.abs((double) value) - 65504
                            : Math.max(Math.abs(value) * 0x1p-11, 0x1p-25);
                    assertTrue(Math.abs((double) value - read) <= bound, () -> value + " was decoded as " + read);
                    assertEquals(bits >>> 31, readBits >>> 31, "sign of " + value);
                }
                case LOG8 -> {
                    // Half a step, what rounding to 24 bits may add, and the remainder of the range at its top.
                    long bound = step / 2 + 1 + (1L << 8) + LogScale.STEPS;
                    long error = Math.abs((long) (bits & Integer.MAX_VALUE) - (readBits & Integer.MAX_VALUE));
                    assertTrue(error <= bound, () -> value + " was decoded as " + read + ", step " + step);
                    assertEquals(bits >>> 31, readBits >>> 31, "sign of " + value);
                }
                default -> assertEquals(bits, readBits, "lossless but for " + value);
            }
        }
    }

    @Test
    void lossesAreExactOrNothing() {
        Property.holds(200, random -> {
            int count = random.nextInt(1, 200);
            MemorySegment meant = Floats.room(4L * count, random.nextInt(8));
            MemorySegment sent = Floats.room(4L * count, random.nextInt(8));
            Floats.fillWithSpecials(random, meant);
            Floats.fillWithSpecials(random, sent);
            Floats.separateNaNs(meant, sent);
            for (int k = 0; k < count; k += 3) {
                sent.set(F32, 4L * k, meant.get(F32, 4L * k));
            }
            Floats.separateNaNs(meant, sent);
            MemorySegment first = null;
            for (ValuesKernel kernel : kernels) {
                GuardedRoom lost = GuardedRoom.holding(meant, 4);
                kernel.subtract(sent.address(), count, lost.address());
                lost.assertUntouchedAround();
                assertEquals(-1, first == null ? -1 : first.mismatch(lost.inside()), "twins differ");
                first = lost.inside();
                for (int k = 0; k < count; k++) {
                    float m = meant.get(F32, 4L * k);
                    float s = sent.get(F32, 4L * k);
                    float expected = m == s ? -0.0f : m - s;
                    assertEquals(expected, lost.inside().get(F32, 4L * k));
                }
            }
        });
    }

    @Test
    void maxAbsIsNaNIfThereIsAny() {
        float[] array = {1, -5, Float.NEGATIVE_INFINITY, 2, Float.NaN, 3};
        MemorySegment values = Floats.of(array, 4);
        for (ValuesKernel kernel : kernels) {
            assertEquals(5.0f, kernel.maxAbs(values.address(), 2));
            assertEquals(Float.POSITIVE_INFINITY, kernel.maxAbs(values.address(), 4));
            assertTrue(Float.isNaN(kernel.maxAbs(values.address(), 6)));
            assertTrue(Float.isNaN(kernel.maxAbs(array, 3, 2)));
            assertEquals(5.0f, kernel.maxAbs(array, 1, 1));
            assertEquals(0.0f, kernel.maxAbs(values.address(), 0));
        }
    }

    @Test
    void maxAbsOfAnyLengthAndKind() {
        Property.holds(1, random -> {
            for (int count = 0; count < 200; count++) {
                float[] array = new float[count];
                Floats.fillWithSpecials(random, MemorySegment.ofArray(array));
                MemorySegment values = Floats.of(array, random.nextInt(8));
                int expected = Float.floatToRawIntBits(kernels[1].maxAbs(values.address(), count));
                assertEquals(expected, Float.floatToRawIntBits(kernels[0].maxAbs(values.address(), count)));
                for (ValuesKernel kernel : kernels) {
                    assertEquals(expected, Float.floatToRawIntBits(kernel.maxAbs(array, 0, count)));
                }
            }
        });
    }
}
