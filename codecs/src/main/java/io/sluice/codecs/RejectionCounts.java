package io.sluice.codecs;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Numbers of rejected frames, by reason.
 *
 * <p>One thread counts; any thread may read. A reader gets a recent value of each count, which never decreases.
 * Counting does not allocate and needs no locked instruction.
 */
public final class RejectionCounts {
    private final AtomicLongArray counts = new AtomicLongArray(Rejection.size());

    /** Counts one rejection. Only the owning thread may call this. */
    public void increment(Rejection rejection) {
        int index = rejection.ordinal();
        counts.setRelease(index, counts.getPlain(index) + 1);
    }

    /** Number of frames rejected so far for one reason. */
    public long count(Rejection rejection) {
        return counts.getAcquire(rejection.ordinal());
    }

    /** Number of frames rejected so far for any reason. */
    public long total() {
        long total = 0;
        for (int i = 0; i < counts.length(); i++) {
            total += counts.getAcquire(i);
        }
        return total;
    }

    /** The reasons that occurred and their counts: {@code "BAD_CHECKSUM=2 STALE_EPOCH=1"}, or "none". */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < counts.length(); i++) {
            long count = counts.getAcquire(i);
            if (count > 0) {
                text.append(text.isEmpty() ? "" : " ")
                        .append(Rejection.at(i))
                        .append('=')
                        .append(count);
            }
        }
        return text.isEmpty() ? "none" : text.toString();
    }
}
