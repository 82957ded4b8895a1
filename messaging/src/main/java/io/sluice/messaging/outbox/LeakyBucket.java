package io.sluice.messaging.outbox;

/**
 * A budget of bytes: in every span of t seconds at most {@code rate * t / 8 + burst} of them (Boesen, section 3.3.1,
 * whose bucket leaks at the rate and holds the burst).
 *
 * <p>Kept as the instant at which the bucket will have run empty, in whole nanoseconds and a remainder, so nothing
 * drifts: what is rounded is rounded against the sender, and only when the bucket runs empty.
 *
 * <p>For one thread. Time is that of a {@link org.agrona.concurrent.NanoClock}: monotonic, from any origin. Allocates
 * nothing.
 */
public final class LeakyBucket {
    /** Lowest rate, in bits per second. */
    public static final long MIN_RATE = 1_000;

    /** Highest rate, in bits per second. */
    public static final long MAX_RATE = 100_000_000_000L;

    /** Largest burst, in bytes. */
    public static final int MAX_BURST = 1 << 28;

    private static final long BIT_NANOS_PER_BYTE = 8_000_000_000L;

    private final long rate;
    private final int burst;
    private long emptyAtNs;
    private long remainder;
    private boolean used;

    /**
     * Makes an empty bucket.
     *
     * @param rate  at which it leaks, in bits per second, 1 kbit/s to 100 Gbit/s
     * @param burst what it holds, in bytes, 1 to 2^28
     * @throws IllegalArgumentException if one is out of range
     */
    public LeakyBucket(long rate, int burst) {
        requireInRange("budget rate", rate, MIN_RATE, MAX_RATE, "bits per second");
        requireInRange("budget burst", burst, 1, MAX_BURST, "bytes");
        this.rate = rate;
        this.burst = burst;
    }

    private static void requireInRange(String name, long value, long min, long max, String unit) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + min + " to " + max + " " + unit);
        }
    }

    /** Bits per second. */
    public long rate() {
        return rate;
    }

    /** Bytes that may go at once. */
    public int burst() {
        return burst;
    }

    /**
     * Whether bytes may go now.
     *
     * @param bytes 1 to the burst; more never fit
     * @param nowNs the time
     * @return true if the bucket has room for them
     */
    public boolean admits(int bytes, long nowNs) {
        return waitNs(bytes, nowNs) <= 0;
    }

    /**
     * How long until bytes may go, if nothing else goes before.
     *
     * @param bytes 1 to the burst; of more it says a time at which they do not fit either
     * @param nowNs the time
     * @return nanoseconds; 0 or less if they may go now
     */
    public long waitNs(int bytes, long nowNs) {
        boolean empty = isEmpty(nowNs);
        long room = (burst - (long) bytes) * BIT_NANOS_PER_BYTE - (empty ? 0 : remainder);
        return (empty ? 0 : emptyAtNs - nowNs) - Math.floorDiv(room, rate);
    }

    /**
     * Puts bytes into the bucket.
     *
     * @param bytes that have gone, whether or not they were admitted
     * @param nowNs when they went
     */
    public void add(int bytes, long nowNs) {
        if (isEmpty(nowNs)) {
            emptyAtNs = nowNs;
            remainder = 0;
            used = true;
        }
        long cost = remainder + bytes * BIT_NANOS_PER_BYTE;
        emptyAtNs += cost / rate;
        remainder = cost % rate;
    }

    /**
     * What is in the bucket.
     *
     * @param nowNs the time
     * @return bytes that have gone and not leaked yet, to within one
     */
    public long level(long nowNs) {
        return isEmpty(nowNs) ? 0 : (long) ((emptyAtNs - nowNs) * (double) rate / BIT_NANOS_PER_BYTE);
    }

    /**
     * Whether everything has leaked, the last fraction of a nanosecond included.
     *
     * @param nowNs the time
     */
    public boolean isEmpty(long nowNs) {
        return !used || emptyAtNs - nowNs + (remainder == 0 ? 0 : 1) <= 0;
    }
}
