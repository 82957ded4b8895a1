package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.spi.BlockFormat;
import java.util.Arrays;

/** Reads the indices of a block one by one, in the simplest way. */
final class Indices {
    private Indices() {}

    /** The elements that the block of an opened frame has values for, in the order of the values. */
    static int[] of(DataFrameDecoder frame) {
        long address = frame.blockAddress();
        int[] indices = new int[frame.count()];
        switch (frame.format()) {
            case DENSE -> Arrays.setAll(indices, k -> k);
            case BITMAP -> readBitmap(address, frame.elements(), indices);
            case INDEX -> Arrays.setAll(indices, k -> u16(address + 2L * k));
            case DELTA -> readDeltas(address, indices);
            case RUNS -> readRuns(address, frame.elements(), indices);
            default -> assertEquals(BlockFormat.EMPTY, frame.format());
        }
        return indices;
    }

    private static void readBitmap(long address, int elements, int[] indices) {
        int k = 0;
        for (int i = 0; i < elements; i++) {
            if (isSet(address, i)) {
                indices[k++] = i;
            }
        }
    }

    private static void readDeltas(long address, int[] indices) {
        int width = OffHeap.ALL.get(JAVA_BYTE, address);
        int grouped = indices.length / 32 * 32;
        int tailBytes = (indices.length - grouped + 7) / 8;
        long tail = address + 4 + 4L * width * (grouped / 32);
        long one = (4L * width * (grouped / 32) + (long) width * tailBytes + 3) / 4 * 4 * 8;
        int next = 0;
        for (int k = 0; k < indices.length; k++) {
            int delta = 0;
            for (; !isSet(address + 4, one); one++) {
                delta += 1 << width;
            }
            one++;
            for (int bit = 0; bit < width; bit++) {
                boolean set = k < grouped
                        ? isSet(address + 4, 32L * (k / 32 * width + bit) + k % 32)
                        : isSet(tail, 8L * tailBytes * bit + k - grouped);
                delta += set ? 1 << bit : 0;
            }
            indices[k] = next + delta;
            next = indices[k] + 1;
        }
    }

    private static void readRuns(long address, int elements, int[] indices) {
        int[] boundaries = new int[u16(address)];
        readDeltas(address + 4, boundaries);
        int k = 0;
        for (int run = 0; run < boundaries.length; run += 2) {
            int end = run + 1 < boundaries.length ? boundaries[run + 1] : elements;
            for (int i = boundaries[run]; i < end; i++) {
                indices[k++] = i;
            }
        }
        assertEquals(indices.length, k, "elements in runs");
    }

    private static boolean isSet(long address, long bit) {
        return (OffHeap.ALL.get(JAVA_BYTE, address + bit / 8) >> bit % 8 & 1) == 1;
    }

    private static int u16(long address) {
        return OffHeap.ALL.get(JAVA_SHORT_UNALIGNED, address) & 0xFFFF;
    }
}
