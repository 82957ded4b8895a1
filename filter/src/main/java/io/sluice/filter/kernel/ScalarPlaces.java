package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;

import io.sluice.codecs.BitPlanes;
import io.sluice.codecs.IndexGaps;

/** Conversions of places columns in plain Java. */
final class ScalarPlaces implements PlacesKernel {
    @Override
    public void indices(long bitmap, int elements, int count, long indices) {
        long index = indices;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            while (word != 0) {
                Memory.putShort(index, start + Long.numberOfTrailingZeros(word));
                index += Short.BYTES;
                word &= word - 1;
            }
        }
    }

    @Override
    public int packGaps(long indices, int count, int elements, long column) {
        toGaps(indices, count);
        int width = IndexGaps.width(elements, count);
        long planes = column + IndexGaps.HEADER_LENGTH;
        for (int group = 0; group < count / BitPlanes.GROUP; group++) {
            for (int bit = 0; bit < width; bit++, planes += Integer.BYTES) {
                Memory.putInt(planes, plane(indices + u16(group * BitPlanes.GROUP), BitPlanes.GROUP, bit));
            }
        }
        return packRest(indices, count, width, column);
    }

    private static void toGaps(long indices, int count) {
        int previous = -1;
        for (int k = 0; k < count; k++) {
            int index = Memory.getShort(indices + u16(k));
            Memory.putShort(indices + u16(k), index - previous - 1);
            previous = index;
        }
    }

    private static int plane(long gaps, int lanes, int bit) {
        int plane = 0;
        for (int k = 0; k < lanes; k++) {
            plane |= (Memory.getShort(gaps + u16(k)) >>> bit & 1) << k;
        }
        return plane;
    }

    /** Writes all of a column but the planes of full groups, and returns its length. */
    static int packRest(long gaps, int count, int width, long column) {
        int tail = count % BitPlanes.GROUP;
        int done = count - tail;
        long plane = column + IndexGaps.HEADER_LENGTH + (long) done / BitPlanes.GROUP * BitPlanes.length(width);
        for (int bit = 0; bit < width; bit++) {
            int lanes = plane(gaps + u16(done), tail, bit);
            for (int rest = tail; rest > 0; rest -= Byte.SIZE, plane++, lanes >>>= Byte.SIZE) {
                Memory.putByte(plane, lanes);
            }
        }
        long unary = column + IndexGaps.HEADER_LENGTH + IndexGaps.planesLength(width, count);
        Memory.zero(plane, unary - plane);
        int words = RiceQuotients.pack(gaps, count, width, unary);
        Memory.putInt(column, width | words << Short.SIZE);
        return (int) (unary - column) + words * Long.BYTES;
    }

    @Override
    public void unpackGaps(long column, int count, long gaps) {
        int width = IndexGaps.width(column);
        long unary = column + IndexGaps.HEADER_LENGTH + IndexGaps.planesLength(width, count);
        indices(unary, IndexGaps.words(column) * Long.SIZE, count, gaps);
        toGaps(gaps, count);
        long planes = column + IndexGaps.HEADER_LENGTH;
        int done = count & -BitPlanes.GROUP;
        for (int k = 0; k < done; k++) {
            long group = planes + (long) (k / BitPlanes.GROUP) * BitPlanes.length(width);
            int number = Memory.getShort(gaps + u16(k)) << width;
            for (int bit = 0; bit < width; bit++) {
                number |= (Memory.getInt(group + (long) bit * Integer.BYTES) >>> k & 1) << bit;
            }
            Memory.putShort(gaps + u16(k), number);
        }
        unpackTail(column, count, width, gaps);
    }

    /** Completes the gaps behind the last full group, of which only the unary parts are there. */
    static void unpackTail(long column, int count, int width, long gaps) {
        int done = count & -BitPlanes.GROUP;
        int bytes = (count - done + Byte.SIZE - 1) / Byte.SIZE;
        long planes = column + IndexGaps.HEADER_LENGTH + (long) done / BitPlanes.GROUP * BitPlanes.length(width);
        for (int k = done; k < count; k++) {
            int number = Memory.getShort(gaps + u16(k)) << width;
            for (int bit = 0; bit < width; bit++) {
                int lanes = Memory.getByte(planes + (long) bit * bytes + (k - done) / Byte.SIZE);
                number |= (lanes >>> k % Byte.SIZE & 1) << bit;
            }
            Memory.putShort(gaps + u16(k), number);
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
