package io.sluice.filter.threshold;

/** Selection of the k-th largest without sorting (Hoare's Find), linear on average. */
public final class Selection {
    private static final int SORTED_BY_HAND = 16;

    private Selection() {}

    /**
     * Finds the value with {@code rank} others before it in descending order. Afterwards all values before it in the
     * array are at least as large, and all after it at most as large.
     *
     * @param values rearranged; without NaN
     * @param count number of them
     * @param rank 0 (the largest) to {@code count - 1}
     * @return the value
     */
    public static float descending(float[] values, int count, int rank) {
        int low = 0;
        int high = count - 1;
        while (high - low > SORTED_BY_HAND) {
            float pivot = medianOfThree(values, low, high);
            int i = low - 1;
            int j = high + 1;
            // Both scans stop at equal values, so that arrays of one value are split in the middle.
            while (true) {
                do {
                    i++;
                } while (values[i] > pivot);
                do {
                    j--;
                } while (values[j] < pivot);
                if (i >= j) {
                    break;
                }
                swap(values, i, j);
            }
            if (rank <= j) {
                high = j;
            } else {
                low = j + 1;
            }
        }
        sort(values, low, high);
        return values[rank];
    }

    /** The median of first, middle and last; the last one is never the only largest, so that no part is empty. */
    private static float medianOfThree(float[] values, int low, int high) {
        int middle = (low + high) >>> 1;
        if (values[middle] > values[low]) {
            swap(values, middle, low);
        }
        if (values[high] > values[low]) {
            swap(values, high, low);
        }
        if (values[high] > values[middle]) {
            swap(values, high, middle);
        }
        return values[middle];
    }

    private static void sort(float[] values, int low, int high) {
        for (int i = low + 1; i <= high; i++) {
            float value = values[i];
            int at = i;
            while (at > low && values[at - 1] < value) {
                values[at] = values[at - 1];
                at--;
            }
            values[at] = value;
        }
    }

    private static void swap(float[] values, int i, int j) {
        float value = values[i];
        values[i] = values[j];
        values[j] = value;
    }
}
