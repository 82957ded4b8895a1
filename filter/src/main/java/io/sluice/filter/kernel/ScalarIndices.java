package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;

import io.sluice.codecs.BitPlanes;
import io.sluice.codecs.RiceDeltas;

/** Conversions of index columns in plain Java. */
final class ScalarIndices implements IndicesKernel {
    /** If fewer than one in this many bits is set, most words have at most two, and a step of four is too long. */
    private static final int SPARSE = 24;

    @Override
    public void indices(long bitmap, int elements, int count, long indices) {
        if (count < elements / SPARSE) {
            oneByOne(bitmap, elements, indices);
        } else {
            byFours(bitmap, elements, indices);
        }
    }

    private static void oneByOne(long bitmap, int elements, long indices) {
        long index = indices;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            while (word != 0) {
                word = put(start, word, index);
                index += Short.BYTES;
            }
        }
    }

    /** Takes four bits in a step, whether or not there are so many: the end of each word is hard to predict. */
    private static void byFours(long bitmap, int elements, long indices) {
        long index = indices;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            long next = index + u16(Long.bitCount(word));
            for (; word != 0; index += u16(4)) {
                word = put(start, word, index);
                word = put(start, word, index + u16(1));
                word = put(start, word, index + u16(2));
                word = put(start, word, index + u16(3));
            }
            index = next;
        }
    }

    /** Puts the number of the lowest bit, and returns the word without it; of no bit, a number to be overwritten. */
    private static long put(int start, long word, long index) {
        Memory.putShort(index, start + Long.numberOfTrailingZeros(word));
        return word & word - 1;
    }

    @Override
    public int packDeltas(long indices, int count, int elements, long column) {
        toDeltas(indices, count);
        int width = RiceDeltas.width(elements, count);
        long planes = column + RiceDeltas.HEADER_LENGTH;
        for (int group = 0; group < count / BitPlanes.GROUP; group++) {
            for (int bit = 0; bit < width; bit++, planes += Integer.BYTES) {
                Memory.putInt(planes, plane(indices + u16(group * BitPlanes.GROUP), BitPlanes.GROUP, bit));
            }
        }
        return packRest(indices, count, width, column);
    }

    private static void toDeltas(long indices, int count) {
        int previous = -1;
        for (int k = 0; k < count; k++) {
            int index = Memory.getShort(indices + u16(k));
            Memory.putShort(indices + u16(k), index - previous - 1);
            previous = index;
        }
    }

    private static int plane(long deltas, int lanes, int bit) {
        int plane = 0;
        for (int k = 0; k < lanes; k++) {
            plane |= (Memory.getShort(deltas + u16(k)) >>> bit & 1) << k;
        }
        return plane;
    }

    /** Writes a column without the planes of full groups, and returns its length. */
    static int packRest(long deltas, int count, int width, long column) {
        int tail = count % BitPlanes.GROUP;
        int done = count - tail;
        long plane = column + RiceDeltas.HEADER_LENGTH + (long) done / BitPlanes.GROUP * BitPlanes.length(width);
        for (int bit = 0; bit < width; bit++) {
            int lanes = plane(deltas + u16(done), tail, bit);
            for (int rest = tail; rest > 0; rest -= Byte.SIZE, plane++, lanes >>>= Byte.SIZE) {
                Memory.putByte(plane, lanes);
            }
        }
        long unary = column + RiceDeltas.HEADER_LENGTH + RiceDeltas.planesLength(width, count);
        Memory.zero(plane, unary - plane);
        int words = RiceQuotients.pack(deltas, count, width, unary);
        Memory.putInt(column, width | words << Short.SIZE);
        return (int) (unary - column) + words * Long.BYTES;
    }

    @Override
    public void unpackDeltas(long column, int count, long deltas) {
        int width = RiceDeltas.width(column);
        long unary = column + RiceDeltas.HEADER_LENGTH + RiceDeltas.planesLength(width, count);
        indices(unary, RiceDeltas.words(column) * Long.SIZE, count, deltas);
        toDeltas(deltas, count);
        long planes = column + RiceDeltas.HEADER_LENGTH;
        int done = count & -BitPlanes.GROUP;
        for (int k = 0; k < done; k++) {
            long group = planes + (long) (k / BitPlanes.GROUP) * BitPlanes.length(width);
            int number = Memory.getShort(deltas + u16(k)) << width;
            for (int bit = 0; bit < width; bit++) {
                number |= (Memory.getInt(group + (long) bit * Integer.BYTES) >>> k & 1) << bit;
            }
            Memory.putShort(deltas + u16(k), number);
        }
        unpackTail(column, count, width, deltas);
    }

    /** Completes the deltas after the last full group, of which the column has only the unary parts. */
    static void unpackTail(long column, int count, int width, long deltas) {
        int done = count & -BitPlanes.GROUP;
        int bytes = (count - done + Byte.SIZE - 1) / Byte.SIZE;
        long planes = column + RiceDeltas.HEADER_LENGTH + (long) done / BitPlanes.GROUP * BitPlanes.length(width);
        for (int k = done; k < count; k++) {
            int number = Memory.getShort(deltas + u16(k)) << width;
            for (int bit = 0; bit < width; bit++) {
                int lanes = Memory.getByte(planes + (long) bit * bytes + (k - done) / Byte.SIZE);
                number |= (lanes >>> k % Byte.SIZE & 1) << bit;
            }
            Memory.putShort(deltas + u16(k), number);
        }
    }

    @Override
    public void expand(long bitmap, long values, int count, int elements, long dense) {
        long value = values;
        for (int i = 0; i < elements; i++) {
            long word = Memory.getLong(bitmap + (long) (i / Long.SIZE) * Long.BYTES);
            boolean present = (word >>> i & 1) != 0;
            Memory.putInt(dense + f32(i), present ? Memory.getInt(value) : 0);
            value += present ? Float.BYTES : 0;
        }
    }
}
