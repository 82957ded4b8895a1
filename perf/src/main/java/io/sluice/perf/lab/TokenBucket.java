package io.sluice.perf.lab;

import java.time.Duration;
import java.util.Locale;

/**
 * One direction of a link, as the kernel's token bucket filter ({@code tc tbf}) implements it: frames leave at the
 * rate, and after silence a burst leaves at once. Other frames wait in a queue; the kernel drops frames that do not fit
 * in it.
 *
 * @param burstBytes bytes that may leave at once
 * @param limitBytes bytes that may wait
 */
record TokenBucket(long rate, long burstBytes, long limitBytes) {
    /** Minimum rate of a link: a full Ethernet frame takes 0.19 s. */
    static final long MIN_RATE = 64_000;

    /** Maximum rate of a link; a core can forward far less. */
    static final long MAX_RATE = 100_000_000_000L;

    private static final int FRAME_HEADER = 14;
    private static final int MIN_BURST = 16 << 10;
    private static final int MAX_BURST = 4 << 20;
    private static final int BURST_PER_S = 500;
    private static final int BITS = 8;
    private static final int FRAMES_IN_BURST = 2;
    private static final int FRAMES_IN_QUEUE = 32;
    private static final double NS_PER_S = 1e9;

    /**
     * The bucket of a link. The burst is the bytes of 2 ms, which is the jitter of a timer on a busy machine, so a late
     * wake-up loses nothing (250 kB at 1 Gbit/s). It holds at least a few frames, because a frame longer than the burst
     * would never leave.
     *
     * @param queue how long a frame may wait
     */
    static TokenBucket of(long rate, int mtu, Duration queue) {
        long frame = mtu + FRAME_HEADER;
        long bytesPerSecond = rate / BITS;
        long burst = Math.clamp(bytesPerSecond / BURST_PER_S, MIN_BURST, MAX_BURST);
        long waiting = (long) (bytesPerSecond * (queue.toNanos() / NS_PER_S));
        return new TokenBucket(
                rate, Math.max(burst, FRAMES_IN_BURST * frame), Math.max(waiting, FRAMES_IN_QUEUE * frame));
    }

    /** The line of {@code tc -batch} that gives a device this bucket; {@code verb} is {@code add} or {@code change}. */
    String line(String verb, String device) {
        return "qdisc " + verb + " dev " + device + " root tbf rate " + rate + "bit burst " + burstBytes + " limit "
                + limitBytes;
    }

    static void check(String setting, long rate) {
        if (rate < MIN_RATE || rate > MAX_RATE) {
            throw new IllegalArgumentException(
                    setting + " is " + text(rate) + ", expected " + text(MIN_RATE) + " to " + text(MAX_RATE));
        }
    }

    /** Formats a rate in the largest unit of which it is a whole number. */
    static String text(long rate) {
        String[] units = {"bit", "kbit", "mbit", "gbit"};
        int unit = 0;
        long value = rate;
        while (unit < units.length - 1 && value >= 1_000 && value % 1_000 == 0) {
            value /= 1_000;
            unit++;
        }
        return String.format(Locale.ROOT, "%d%s", value, units[unit]);
    }
}
