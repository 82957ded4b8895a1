package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.LaneTables.pack;
import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.floats;
import static io.sluice.filter.kernel.Registers.isAbove;
import static io.sluice.filter.kernel.Registers.isBetween;
import static io.sluice.filter.kernel.Registers.store;
import static io.sluice.filter.kernel.Registers.toBf16;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * The loops of {@link VectorSplit} for registers that {@link LaneTables} cover. One register at a time: four in flight
 * would exceed what the compiler inlines, and the processor overlaps them by itself.
 */
final class VectorTableSplit {
    private VectorTableSplit() {}

    /** As {@link #exact} without an update, and without storing unchanged registers. */
    static long sparse(long residual, int whole, float threshold, long bitmap, long values) {
        long value = values;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += LANES) {
                long r = residual + f32(start + part);
                FloatVector v = floats(r);
                VectorMask<Float> kept = isAbove(v.abs(), threshold);
                long bits = kept.toLong();
                if (bits != 0) {
                    store(v.blend(0.0f, kept), r);
                    store(pack(v, bits), value);
                    value += f32(Long.bitCount(bits));
                    word |= bits << part;
                }
            }
            Memory.putLong(bitmap + start / Byte.SIZE, word);
        }
        return value;
    }

    /** Returns the address after the last value. Offsets into the update are ANDed with {@code advance}. */
    static long exact(long update, long advance, long residual, int whole, float threshold, long bitmap, long values) {
        long value = values;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += LANES) {
                long r = residual + f32(start + part);
                FloatVector v = floats(r).add(floats(update + (f32(start + part) & advance)));
                VectorMask<Float> kept = isAbove(v.abs(), threshold);
                store(v.blend(0.0f, kept), r);
                long bits = kept.toLong();
                store(pack(v, bits), value);
                value += f32(Long.bitCount(bits));
                word |= bits << part;
            }
            Memory.putLong(bitmap + start / Byte.SIZE, word);
        }
        return value;
    }

    /** As {@link #exact}, rounding what is kept to bfloat16. */
    static long rounded(
            long update, long advance, long residual, int whole, float threshold, long bitmap, long values) {
        long value = values;
        for (int start = 0; start < whole; start += Long.SIZE) {
            long word = 0;
            for (int part = 0; part < Long.SIZE; part += LANES) {
                long r = residual + f32(start + part);
                FloatVector v = floats(r).add(floats(update + (f32(start + part) & advance)));
                VectorMask<Float> kept = isBetween(v.abs(), threshold);
                FloatVector rounded = toBf16(v);
                store(v.sub(rounded, kept), r);
                long bits = kept.toLong();
                store(pack(rounded, bits), value);
                value += f32(Long.bitCount(bits));
                word |= bits << part;
            }
            Memory.putLong(bitmap + start / Byte.SIZE, word);
        }
        return value;
    }
}
