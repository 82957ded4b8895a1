package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.LaneTables.EIGHT_SHORTS;
import static io.sluice.filter.kernel.LaneTables.setBits;
import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;
import static io.sluice.filter.kernel.Memory.u8;
import static io.sluice.filter.kernel.Registers.GROUP_SHORTS;
import static io.sluice.filter.kernel.Registers.INTS;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.SHORTS;
import static io.sluice.filter.kernel.Registers.expanded;
import static io.sluice.filter.kernel.Registers.floats;
import static io.sluice.filter.kernel.Registers.groupLanes;
import static io.sluice.filter.kernel.Registers.groupShorts;
import static io.sluice.filter.kernel.Registers.store;

import io.sluice.codecs.BitPlanes;
import io.sluice.codecs.RiceDeltas;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/** Conversions of index columns on the Vector API. */
final class VectorIndices implements IndicesKernel {
    /** If fewer than one in this many bits is set, it is faster to visit the set bits. */
    private static final int SPARSE = LaneTables.COVER_REGISTERS ? 4 : 24;

    private static final int GROUP_LANES = GROUP_SHORTS.length();
    private static final long ALL_LANES = (1L << LANES) - 1;
    private static final IntVector IOTA = IntVector.zero(INTS).addIndex(1);

    private final ScalarIndices scalar = new ScalarIndices();

    @Override
    public void indices(long bitmap, int elements, int count, long indices) {
        if (count < elements / SPARSE) {
            scalar.indices(bitmap, elements, count, indices);
        } else if (LaneTables.COVER_REGISTERS) {
            byTable(bitmap, elements, indices);
        } else {
            byMask(bitmap, elements, indices);
        }
    }

    private static void byMask(long bitmap, int elements, long indices) {
        int set = 0;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(u8(bitmap, start >>> 3));
            for (int lane = 0; lane < Long.SIZE; lane += LANES) {
                VectorMask<Integer> present = VectorMask.fromLong(INTS, word >>> lane);
                IntVector numbers = IOTA.add(start + lane).compress(present);
                store((ShortVector) numbers.convertShape(VectorOperators.I2S, SHORTS, 0), u16(indices, set));
                set += present.trueCount();
            }
        }
    }

    private static void byTable(long bitmap, int elements, long indices) {
        long index = indices;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            ShortVector first = ShortVector.broadcast(EIGHT_SHORTS, (short) start);
            for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
                int bits = (int) (word >>> shift) & 0xFF;
                store(setBits(bits).add(first), index);
                index += u16(Integer.bitCount(bits));
                first = first.add((short) Byte.SIZE);
            }
        }
    }

    @Override
    public int packDeltas(long indices, int count, int elements, long column) {
        toDeltas(indices, count);
        int width = RiceDeltas.width(elements, count);
        long planes = column + RiceDeltas.HEADER_LENGTH;
        for (int group = 0; group < count / BitPlanes.GROUP; group++) {
            long deltas = u16(indices, group * BitPlanes.GROUP);
            for (int bit = 0; bit < width; bit++, planes += Integer.BYTES) {
                Memory.putInt(planes, plane(deltas, bit));
            }
        }
        return ScalarIndices.packRest(indices, count, width, column);
    }

    /**
     * Turns indices into deltas in place, from the last to the first, so that every index is read before it is
     * overwritten.
     */
    private static void toDeltas(long indices, int count) {
        Memory.putShort(indices - Short.BYTES, -1);
        for (int k = (count - 1) / GROUP_LANES * GROUP_LANES; k >= 0; k -= GROUP_LANES) {
            long at = u16(indices, k);
            store(
                    groupShorts(at)
                            .sub(groupShorts(u16(indices - Short.BYTES, k)))
                            .sub((short) 1),
                    at);
        }
    }

    private static int plane(long deltas, int bit) {
        long plane = 0;
        for (int k = 0; k < BitPlanes.GROUP; k += GROUP_LANES) {
            ShortVector bits = groupShorts(u16(deltas, k)).and((short) (1 << bit));
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
                    VectorMask<Short> set = groupLanes(plane >>> k);
                    numbers = numbers.add((short) (1 << bit), set);
                }
                store(numbers, at);
            }
        }
        ScalarIndices.unpackTail(column, count, width, deltas);
    }

    @Override
    public void expand(long bitmap, long values, int count, int elements, long dense) {
        // A register is only loaded while as many values are left.
        long lastWord = values + f32(count - LANES - Long.SIZE);
        long value = values;
        int start = 0;
        for (; start <= elements - Long.SIZE && value <= lastWord; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            for (int lane = 0; lane < Long.SIZE; lane += LANES) {
                long present = word >>> lane & ALL_LANES;
                store(expanded(floats(value), present), dense + f32(start + lane));
                value += f32(Long.bitCount(present));
            }
        }
        int done = (int) ((value - values) / Float.BYTES);
        scalar.expand(bitmap + start / Byte.SIZE, value, count - done, elements - start, dense + f32(start));
    }
}
