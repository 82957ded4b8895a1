package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.FrameFuzzer;
import io.sluice.codecs.GuardedMemory;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NotFiniteException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;

/**
 * A process that applies every hostile frame that is accepted, with guard pages after frame and target. Both kernels
 * must have the same result.
 */
final class ApplyFuzzer {
    private static final long ROOM = (long) BlockFormat.MAX_ELEMENTS * Float.BYTES;

    private final BlockAccumulator vector = new BlockAccumulator(Kernels.vector());
    private final BlockAccumulator scalar = new BlockAccumulator(Kernels.scalar());
    private final MemorySegment byVector = target();
    private final MemorySegment byScalar = target();

    public static void main(String[] arguments) throws IOException {
        FrameFuzzer.run(arguments, new ApplyFuzzer()::apply);
    }

    private void apply(DataFrameDecoder frame) {
        int elements = frame.elements();
        long offset = ROOM - (long) elements * Float.BYTES;
        byVector.asSlice(offset).fill((byte) 0);
        byScalar.asSlice(offset).fill((byte) 0);
        boolean finite = isFinite(() -> scalar.add(frame, byScalar, offset, elements));
        assertEquals(finite, isFinite(() -> vector.add(frame, byVector, offset, elements)));
        assertTrue(finite || frame.valueType() != ValueType.LEVELS, "a value of LEVELS is not finite");
        if (byVector.asSlice(offset).mismatch(byScalar.asSlice(offset)) >= 0) {
            // The payload of a NaN is not specified: compare as floats.
            assertArrayEquals(floats(byScalar, offset), floats(byVector, offset));
        }
        if (frame.format() == BlockFormat.DENSE) {
            isFinite(() -> vector.overwrite(frame, byVector, offset, elements));
        }
    }

    /**
     * Applies a block of valid structure. It is applied completely even if it is refused for a sum that is not finite.
     */
    private static boolean isFinite(Supplier<Rejection> apply) {
        try {
            assertNull(apply.get());
            return true;
        } catch (NotFiniteException _) {
            return false;
        }
    }

    private static float[] floats(MemorySegment target, long offset) {
        return target.asSlice(offset).toArray(ValueLayout.JAVA_FLOAT);
    }

    @SuppressWarnings("restricted")
    private static MemorySegment target() {
        return MemorySegment.ofAddress(GuardedMemory.allocate((int) ROOM).addressOffset())
                .reinterpret(ROOM);
    }
}
