package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
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

/** Adding blocks on the Vector API. Scatters go one by one on any processor, so indices are left to the twin. */
final class VectorAdd implements AddKernel {
    private final ScalarAdd scalar = new ScalarAdd();

    @Override
    public boolean dense(long values, int elements, long target) {
        int whole = FLOATS.loopBound(elements);
        IntVector greatest = IntVector.zero(INTS);
        for (int i = 0; i < whole; i += LANES) {
            FloatVector sum = floats(target + f32(i)).add(floats(values + f32(i)));
            store(sum, target + f32(i));
            greatest = greatest.max(magnitude(sum));
        }
        return isFinite(greatest) & scalar.dense(values + f32(whole), elements - whole, target + f32(whole));
    }

    @Override
    public boolean dense(float[] values, int from, int elements, long target) {
        int whole = FLOATS.loopBound(elements);
        IntVector greatest = IntVector.zero(INTS);
        for (int i = 0; i < whole; i += LANES) {
            FloatVector sum = floats(target + f32(i)).add(FloatVector.fromArray(FLOATS, values, from + i));
            store(sum, target + f32(i));
            greatest = greatest.max(magnitude(sum));
        }
        return isFinite(greatest) & scalar.dense(values, from + whole, elements - whole, target + f32(whole));
    }

    @Override
    public boolean bitmap(long bitmap, long values, int count, int elements, long target) {
        long value = values;
        long lastFullLoad = values + f32(count - LANES);
        IntVector greatest = IntVector.zero(INTS);
        int start = 0;
        // The block may end where mapped memory ends: a full register is only loaded while as many values are left.
        for (; start <= elements - Long.SIZE && value <= lastFullLoad - f32(Long.SIZE); start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            for (int lane = 0; lane < Long.SIZE; lane += LANES) {
                long at = target + f32(start + lane);
                VectorMask<Float> present = VectorMask.fromLong(FLOATS, word >>> lane);
                FloatVector added = floats(value).expand(present);
                FloatVector sum = floats(at).add(added, present);
                store(sum, at);
                greatest = greatest.lanewise(VectorOperators.MAX, magnitude(sum), present.cast(INTS));
                value += f32(present.trueCount());
            }
        }
        int done = (int) ((value - values) / Float.BYTES);
        return isFinite(greatest)
                & scalar.bitmap(bitmap + start / Byte.SIZE, value, count - done, elements - start, target + f32(start));
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
