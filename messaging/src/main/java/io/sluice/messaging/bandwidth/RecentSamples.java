package io.sluice.messaging.bandwidth;

/**
 * The last eight samples of a rate, and their summary: the third largest.
 *
 * <p>BBR takes the largest, as its samples err only downwards. The samples here may also err upwards: a receiver that
 * was descheduled acknowledges in a burst, and acknowledgements arrive a quarter window at a time. The third largest
 * tolerates two such samples of eight, and five samples of a busy receiver or sender.
 */
final class RecentSamples {
    static final int KEPT = 8;
    static final int RANK = 3;

    private final long[] samples = new long[KEPT];
    private final long[] largest = new long[RANK];
    private int count;
    private int next;

    void add(long sample) {
        samples[next] = sample;
        next = (next + 1) % KEPT;
        count = Math.min(count + 1, KEPT);
    }

    /** The third largest, the smallest if there are fewer than three, 0 if there is none. */
    long representative() {
        int rank = Math.min(RANK, count);
        if (rank == 0) {
            return 0;
        }
        for (int i = 0; i < rank; i++) {
            largest[i] = Long.MIN_VALUE;
        }
        for (int i = 0; i < count; i++) {
            insert(samples[i], rank);
        }
        return largest[rank - 1];
    }

    private void insert(long sample, int rank) {
        long moving = sample;
        for (int i = 0; i < rank; i++) {
            if (moving > largest[i]) {
                long smaller = largest[i];
                largest[i] = moving;
                moving = smaller;
            }
        }
    }

    void clear() {
        count = 0;
        next = 0;
    }
}
