package io.sluice.perf.benchmark;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Accumulates the results of benchmark passes: bytes, values, block formats, allocation and latencies. Mutable; used by
 * one thread.
 */
public final class Tally {
    /** Maximum recorded latency; longer ones are recorded as this. */
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(100);

    private static final int DIGITS = 3;

    private long bytes;
    private long values;
    private int formats;
    private long allocatedBytes;
    private Histogram latencies;

    /**
     * Adds the results of one pass, or of a part of one.
     *
     * @param bytes bytes that would be sent
     */
    public void add(long bytes, long values) {
        this.bytes += bytes;
        this.values += values;
    }

    /**
     * Records the format of a block.
     *
     * @param code code of the format, 0 to 31
     */
    public void format(int code) {
        formats |= 1 << code;
    }

    /**
     * Records a latency. The first call allocates the histogram, later ones nothing.
     *
     * @param nanos latency in nanoseconds, 0 or more
     */
    public void latency(long nanos) {
        if (latencies == null) {
            latencies = new Histogram(LONGEST_NS, DIGITS);
        }
        latencies.recordValue(Math.min(nanos, LONGEST_NS));
    }

    /** Records the bytes that a thread has allocated on the heap, or a negative number if they are unknown. */
    void allocated(long bytes) {
        allocatedBytes += bytes;
    }

    /** Total bytes added so far. */
    public long bytes() {
        return bytes;
    }

    /** Total values added so far. */
    public long values() {
        return values;
    }

    /** A bit for each format that occurred. */
    public int formats() {
        return formats;
    }

    /** The recorded latencies in nanoseconds; {@code null} if there are none. */
    public Histogram latencies() {
        return latencies;
    }

    /** Adds another thread's tally and clears it. */
    void take(Tally other) {
        add(other.bytes, other.values);
        formats |= other.formats;
        allocatedBytes += other.allocatedBytes;
        if (other.latencies != null) {
            if (latencies == null) {
                latencies = new Histogram(LONGEST_NS, DIGITS);
            }
            latencies.add(other.latencies);
        }
        other.clear();
    }

    /**
     * Combines all results into a turn that ends now.
     *
     * @param beginMs time of day at its beginning, in milliseconds
     */
    Turn turn(int passes, long nanos, long beginMs) {
        Histogram recorded = null;
        if (latencies != null && latencies.getTotalCount() > 0) {
            recorded = latencies.copy();
            recorded.setStartTimeStamp(beginMs);
            recorded.setEndTimeStamp(System.currentTimeMillis());
        }
        return new Turn(passes, nanos, bytes, values, formats, allocatedBytes, recorded, List.of());
    }

    void clear() {
        allocatedBytes = 0;
        if (latencies != null) {
            latencies.reset();
        }
        bytes = 0;
        values = 0;
        formats = 0;
    }
}
