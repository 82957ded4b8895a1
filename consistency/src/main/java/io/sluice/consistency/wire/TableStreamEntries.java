package io.sluice.consistency.wire;

/**
 * The entries of a {@link FrameLog} that belong to one stream, oldest first, for binary search: each has a higher
 * number and a later position in the stream than the previous one.
 *
 * <p>Used by one thread. Allocates nothing but when it grows.
 */
final class TableStreamEntries {
    private static final int FIRST_CAPACITY = 64;

    /** The entries, a ring whose length is a power of two. */
    private long[] entries = new long[FIRST_CAPACITY];

    private long first;
    private long end;

    void add(long entry) {
        if (size() == entries.length) {
            grow();
        }
        entries[slot(end)] = entry;
        end++;
    }

    private void grow() {
        long[] larger = new long[2 * entries.length];
        for (long position = first; position < end; position++) {
            larger[(int) (position & larger.length - 1)] = entries[slot(position)];
        }
        entries = larger;
    }

    /** Removes the oldest entry. */
    void removeFirst() {
        first++;
    }

    int size() {
        return (int) (end - first);
    }

    /** The entry at an index, 0 for the oldest. */
    long get(int index) {
        return entries[slot(first + index)];
    }

    /** Index of the first entry with this number or a higher one; {@link #size} if there is none. */
    int indexFrom(long entry) {
        int low = 0;
        int high = size();
        while (low < high) {
            int middle = low + high >>> 1;
            if (get(middle) < entry) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int slot(long position) {
        return (int) (position & entries.length - 1);
    }
}
