package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;
import static io.sluice.filter.kernel.Registers.FLOATS;
import static io.sluice.filter.kernel.Registers.GROUP_SHORTS;
import static io.sluice.filter.kernel.Registers.INTS;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.SHORTS;
import static io.sluice.filter.kernel.Registers.floats;
import static io.sluice.filter.kernel.Registers.groupShorts;
import static io.sluice.filter.kernel.Registers.store;

import io.sluice.codecs.BitPlanes;
import io.sluice.codecs.RiceDeltas;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/** Conversions of index columns on the Vector API. */
final class VectorIndices implements IndicesKernel {
    /** With fewer than one bit set in this many, it is faster to go from bit to bit. */
    private static final int SPARSE = 256;

    private static final int GROUP_LANES = GROUP_SHORTS.length();
    private static final IntVector IOTA = IntVector.zero(INTS).addIndex(1);

    private final ScalarIndices scalar = new ScalarIndices();

    @Override
    public void indices(long bitmap, int elements, int count, long indices) {
        if (count < elements / SPARSE) {
            scalar.indices(bitmap, elements, count, indices);
            return;
        }
        long index = indices;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            for (int lane = 0; lane < Long.SIZE; lane += LANES) {
                VectorMask<Integer> present = VectorMask.fromLong(INTS, word >>> lane);
                IntVector set = IOTA.add(start + lane).compress(present);
                store((ShortVector) set.convertShape(VectorOperators.I2S, SHORTS, 0), index);
                index += u16(present.trueCount());
            }
        }
    }

    @Override
    public int packDeltas(long indices, int count, int elements, long column) {
        toDeltas(indices, count);
        int width = RiceDeltas.width(elements, count);
        long planes = column + RiceDeltas.HEADER_LENGTH;
        for (int group = 0; group < count / BitPlanes.GROUP; group++) {
            long deltas = indices + u16(group * BitPlanes.GROUP);
            for (int bit = 0; bit < width; bit++, planes += Integer.BYTES) {
                Memory.putInt(planes, plane(deltas, bit));
            }
        }
        return ScalarIndices.packRest(indices, count, width, column);
    }

    /** Backwards and in place, so that every index is read before it is overwritten. */
    private static void toDeltas(long indices, int count) {
        Memory.putShort(indices - Short.BYTES, -1);
        for (int k = (count - 1) / GROUP_LANES * GROUP_LANES; k >= 0; k -= GROUP_LANES) {
            long at = indices + u16(k);
            store(groupShorts(at).sub(groupShorts(at - Short.BYTES)).sub((short) 1), at);
        }
    }

    private static int plane(long deltas, int bit) {
        long plane = 0;
        for (int k = 0; k < BitPlanes.GROUP; k += GROUP_LANES) {
            ShortVector bits = groupShorts(deltas + u16(k)).and((short) (1 << bit));
            plane |= bits.compare(VectorOperators.NE, (short) 0).toLong() << k;
        }
        return (int) plane;
    }

    @Override
    public void unpackDeltas(long column, int count, long deltas) {
        int width = RiceDeltas.width(column);
        long unary = column + RiceDeltas.HEADER_LENGTH + RiceDeltas.planesLength(width, count);
        indices(unary, RiceDeltas.words(column) * Long.SIZE, count, deltas);
        toDeltas(deltas, count);
        long planes = column + RiceDeltas.HEADER_LENGTH;
        for (int group = 0; group < count / BitPlanes.GROUP; group++, planes += BitPlanes.length(width)) {
            for (int k = 0; k < BitPlanes.GROUP; k += GROUP_LANES) {
                long at = deltas + u16(group * BitPlanes.GROUP + k);
                ShortVector numbers = groupShorts(at).lanewise(VectorOperators.LSHL, width);
                for (int bit = 0; bit < width; bit++) {
                    long plane = Memory.getInt(planes + (long) bit * Integer.BYTES) & 0xFFFF_FFFFL;
                    VectorMask<Short> set = VectorMask.fromLong(GROUP_SHORTS, plane >>> k);
                    numbers = numbers.add((short) (1 << bit), set);
                }
                store(numbers, at);
            }
        }
        ScalarIndices.unpackTail(column, count, width, deltas);
    }

    @Override
    public void expand(long bitmap, long values, int count, int elements, long dense) {
        long value = values;
        long end = values + f32(count);
        for (int i = 0; i < elements; i += LANES) {
            long word = Memory.getLong(bitmap + (long) (i / Long.SIZE) * Long.BYTES);
            VectorMask<Float> present = VectorMask.fromLong(FLOATS, word >>> i);
            VectorMask<Float> left = FLOATS.indexInRange(0, (end - value) / Float.BYTES);
            VectorMask<Float> valid = FLOATS.indexInRange(i, elements);
            FloatVector spread = floats(value, left).expand(present);
            store(spread, dense + f32(i), valid);
            value += f32(present.trueCount());
        }
    }
}
