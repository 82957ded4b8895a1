package io.sluice.messaging.flow;

/**
 * Limits bytes to a rate and a burst: at most {@code rate * t / 8 + burst} bytes in every span of t seconds (Boesen,
 * section 3.3.1). The bucket is full at first.
 *
 * <p>The state is the instant at which the bucket is full again, in whole nanoseconds and a remainder, so rounding
 * errors do not accumulate.
 *
 * <p>For one thread. Time is that of a {@link org.agrona.concurrent.NanoClock}: monotonic, from any origin. Allocates
 * nothing.
 */
public final class TokenBucket {
    private static final long BIT_NANOS_PER_BYTE = 8_000_000_000L;

    private final long rate;
    private final int burst;
    private long fullAtNs;
    private long remainder;
    private boolean used;

    /**
     * Creates a full bucket.
     *
     * @param rate  rate at which it fills, in bits per second, positive
     * @param burst capacity in bytes, 1 to 2^28
     */
    public TokenBucket(long rate, int burst) {
        this.rate = rate;
        this.burst = burst;
    }

    /** Capacity in bytes. */
    public int burst() {
        return burst;
    }

    /**
     * Whether bytes may be sent now.
     *
     * @param bytes 1 to the burst; more are never admitted
     * @param nowNs current time
     */
    public boolean admits(int bytes, long nowNs) {
        return waitNs(bytes, nowNs) <= 0;
    }

    /**
     * The time until bytes may be sent, if no other bytes are sent before.
     *
     * @param bytes 1 to the burst; for more, the result is a time at which they are not admitted either
     * @param nowNs current time
     * @return nanoseconds; 0 or less if they may be sent now
     */
    public long waitNs(int bytes, long nowNs) {
        boolean full = isFull(nowNs);
        long room = (burst - (long) bytes) * BIT_NANOS_PER_BYTE - (full ? 0 : remainder);
        return (full ? 0 : fullAtNs - nowNs) - Math.floorDiv(room, rate);
    }

    /**
     * Takes bytes out. The bucket may go into debt.
     *
     * @param bytes bytes that were sent, whether or not they were admitted
     * @param nowNs time at which they were sent
     */
    public void take(int bytes, long nowNs) {
        if (isFull(nowNs)) {
            fullAtNs = nowNs;
            remainder = 0;
            used = true;
        }
        long cost = remainder + bytes * BIT_NANOS_PER_BYTE;
        fullAtNs += cost / rate;
        remainder = cost % rate;
    }

    /**
     * Takes out the available bytes, up to a number.
     *
     * @param wanted 0 or more bytes
     * @param nowNs current time
     * @return bytes taken, 0 to {@code wanted}
     */
    public int takeAvailable(int wanted, long nowNs) {
        int taken = Math.clamp(burst - taken(nowNs), 0, wanted);
        if (taken > 0) {
            take(taken, nowNs);
        }
        return taken;
    }

    /**
     * Number of bytes taken that have not been refilled yet, to within one; more than the burst if the bucket is in
     * debt.
     *
     * @param nowNs current time
     */
    public long taken(long nowNs) {
        return isFull(nowNs) ? 0 : (long) ((fullAtNs - nowNs) * (double) rate / BIT_NANOS_PER_BYTE);
    }

    /**
     * Whether the bucket is full, to the last fraction of a nanosecond.
     *
     * @param nowNs current time
     */
    public boolean isFull(long nowNs) {
        return !used || fullAtNs - nowNs + (remainder == 0 ? 0 : 1) <= 0;
    }
}
