package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.LaneTables.absent;
import static io.sluice.filter.kernel.LaneTables.spread;
import static io.sluice.filter.kernel.LaneTables.spreading;
import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u8;
import static io.sluice.filter.kernel.Registers.FLOATS;
import static io.sluice.filter.kernel.Registers.INTS;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.floats;
import static io.sluice.filter.kernel.Registers.isFinite;
import static io.sluice.filter.kernel.Registers.magnitude;
import static io.sluice.filter.kernel.Registers.store;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * Adds blocks with the Vector API. It cannot scatter to native memory, so blocks with a list of indices are left to the
 * scalar implementation.
 */
final class VectorAdd implements AddKernel {
    private static final long ALL_LANES = (1L << LANES) - 1;

    private final ScalarAdd scalar = new ScalarAdd();

    @Override
    public boolean dense(long values, int elements, long target) {
        int whole = FLOATS.loopBound(elements);
        IntVector greatest = IntVector.zero(INTS);
        for (int i = 0; i < whole; i += LANES) {
            FloatVector sum = floats(f32(target, i)).add(floats(f32(values, i)));
            store(sum, f32(target, i));
            greatest = greatest.max(magnitude(sum));
        }
        return isFinite(greatest) & scalar.dense(values + f32(whole), elements - whole, target + f32(whole));
    }

    @Override
    public boolean dense(float[] values, int from, int elements, long target) {
        int whole = FLOATS.loopBound(elements);
        IntVector greatest = IntVector.zero(INTS);
        for (int i = 0; i < whole; i += LANES) {
            FloatVector sum = floats(f32(target, i)).add(FloatVector.fromArray(FLOATS, values, from + i));
            store(sum, f32(target, i));
            greatest = greatest.max(magnitude(sum));
        }
        return isFinite(greatest) & scalar.dense(values, from + whole, elements - whole, target + f32(whole));
    }

    @Override
    public boolean bitmap(long bitmap, long values, int count, int elements, long target) {
        // The block may end where mapped memory ends: a full register is only loaded while as many values are left.
        int lastWord = count - LANES - Long.SIZE;
        return LaneTables.COVER_REGISTERS
                ? spreadByTable(bitmap, values, lastWord, count, elements, target)
                : spreadByMask(bitmap, values, lastWord, count, elements, target);
    }

    private boolean spreadByMask(long bitmap, long values, int lastWord, int count, int elements, long target) {
        int done = 0;
        IntVector greatest = IntVector.zero(INTS);
        int start = 0;
        for (; start <= elements - Long.SIZE && done <= lastWord; start += Long.SIZE) {
            long word = Memory.getLong(u8(bitmap, start >>> 3));
            for (int lane = 0; lane < Long.SIZE; lane += LANES) {
                long at = f32(target, start + lane);
                VectorMask<Float> present = VectorMask.fromLong(FLOATS, word >>> lane);
                FloatVector added = floats(f32(values, done)).expand(present);
                FloatVector sum = floats(at).add(added, present);
                store(sum, at);
                greatest = greatest.lanewise(VectorOperators.MAX, magnitude(sum), present.cast(INTS));
                done += present.trueCount();
            }
        }
        return isFinite(greatest) & addRest(bitmap, values, done, count, start, elements, target);
    }

    private boolean spreadByTable(long bitmap, long values, int lastWord, int count, int elements, long target) {
        int done = 0;
        IntVector greatest = IntVector.zero(INTS);
        int start = 0;
        for (; start <= elements - Long.SIZE && done <= lastWord; start += Long.SIZE) {
            long word = Memory.getLong(u8(bitmap, start >>> 3));
            for (int lane = 0; lane < Long.SIZE; lane += LANES) {
                long at = f32(target, start + lane);
                long present = word >>> lane & ALL_LANES;
                IntVector row = spreading(present);
                VectorMask<Integer> absent = absent(row);
                FloatVector before = floats(at);
                FloatVector sum = before.add(spread(row, floats(f32(values, done))));
                store(sum.blend(before, absent.cast(FLOATS)), at);
                greatest = greatest.max(magnitude(sum).blend(0, absent));
                done += Long.bitCount(present);
            }
        }
        return isFinite(greatest) & addRest(bitmap, values, done, count, start, elements, target);
    }

    private boolean addRest(long bitmap, long values, int done, int count, int start, int elements, long target) {
        return scalar.bitmap(
                bitmap + start / Byte.SIZE, values + f32(done), count - done, elements - start, target + f32(start));
    }

    @Override
    public boolean indices(long indices, long values, int count, long target) {
        return scalar.indices(indices, values, count, target);
    }

    @Override
    public boolean deltas(long deltas, long values, int count, long target) {
        return scalar.deltas(deltas, values, count, target);
    }
}
