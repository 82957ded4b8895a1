package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;

/** Reads the places of a block one by one, in the plainest way there is. */
final class Places {
    private Places() {}

    /** The elements that the block of an opened frame has values for, in the order of the values. */
    static int[] of(DataFrameDecoder frame) {
        long address = frame.blockAddress();
        int[] places = new int[frame.count()];
        switch (frame.format()) {
            case DENSE -> Arrays.setAll(places, k -> k);
            case BITMAP -> readBitmap(address, frame.elements(), places);
            case INDEX -> Arrays.setAll(places, k -> u16(address + 2L * k));
            case GAPS -> readGaps(address, places);
            default -> assertEquals(BlockFormat.EMPTY, frame.format());
        }
        return places;
    }

    private static void readBitmap(long address, int elements, int[] places) {
        int k = 0;
        for (int i = 0; i < elements; i++) {
            if (isSet(address, i)) {
                places[k++] = i;
            }
        }
    }

    private static void readGaps(long address, int[] places) {
        int width = OffHeap.ALL.get(JAVA_BYTE, address);
        int grouped = places.length / 32 * 32;
        int tailBytes = (places.length - grouped + 7) / 8;
        long tail = address + 4 + 4L * width * (grouped / 32);
        long one = (4L * width * (grouped / 32) + (long) width * tailBytes + 3) / 4 * 4 * 8;
        int next = 0;
        for (int k = 0; k < places.length; k++) {
            int gap = 0;
            for (; !isSet(address + 4, one); one++) {
                gap += 1 << width;
            }
            one++;
            for (int bit = 0; bit < width; bit++) {
                boolean set = k < grouped
                        ? isSet(address + 4, 32L * (k / 32 * width + bit) + k % 32)
                        : isSet(tail, 8L * tailBytes * bit + k - grouped);
                gap += set ? 1 << bit : 0;
            }
            places[k] = next + gap;
            next = places[k] + 1;
        }
    }

    private static boolean isSet(long address, long bit) {
        return (OffHeap.ALL.get(JAVA_BYTE, address + bit / 8) >> bit % 8 & 1) == 1;
    }

    private static int u16(long address) {
        return OffHeap.ALL.get(JAVA_SHORT_UNALIGNED, address) & 0xFFFF;
    }
}
