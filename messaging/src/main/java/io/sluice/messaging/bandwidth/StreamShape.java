package io.sluice.messaging.bandwidth;

/**
 * The datagrams of a stream of a given rate: steps of equal distance, each of one datagram or, at rates at which a
 * thread cannot send datagrams one by one, of several at once.
 *
 * <p>The paper's streams have 100 packets, at least 100 us apart, and so end at 120 Mbit/s with packets of 1,500 bytes.
 * Steps of several packets are one larger packet to the queue.
 *
 * <p>Links that a token bucket limits, as those of clouds and of {@code tc}, let a burst pass before they queue
 * anything, so a stream shorter than the burst would not be limited. So a primer precedes a stream: a burst of
 * datagrams that are not evaluated, which empties the bucket. Without a bucket it fills the queue a little, which then
 * shrinks or grows under the stream.
 *
 * @param steps     steps in the stream
 * @param parts     datagrams in a step
 * @param length    payload of each datagram in bytes
 * @param periodNs  nanoseconds from one step to the next; 0 for all at once
 * @param primers   datagrams sent before, of the same length
 */
record StreamShape(int steps, int parts, int length, long periodNs, int primers) {
    /**
     * Number of bytes of a datagram on an Ethernet link in addition to its payload: the headers of Ethernet, IPv4 and
     * UDP.
     */
    static final int OVERHEAD = 14 + 20 + 8;

    /** Number of steps of the paper's streams. */
    static final int STEPS = 100;

    /** Length of a stream: short, but long enough to fill a queue measurably although threads are late. */
    static final long LONGEST_NS = 50_000_000;

    /** Maximum number of bytes of a stream: above 160 Mbit/s, streams are shorter rather than larger. */
    static final int MOST_BYTES = 1_000_000;

    private static final int SHORTEST_DATAGRAM = 200;

    /**
     * Time in which the stream's rate carries the primer: twice what fills a common bucket, because cross traffic may
     * halve it.
     */
    private static final long PRIMER_NS = 4_000_000;

    private static final int SMALLEST_PRIMER = 32 << 10;
    private static final double NS_PER_SECOND = 1e9;

    /**
     * Creates the stream of a rate.
     *
     * @param bytesPerSecond bytes per second on the wire, {@link #OVERHEAD} included
     * @param longest        payload of a datagram in bytes
     */
    static StreamShape ofRate(double bytesPerSecond, int longest) {
        double durationNs = Math.min(LONGEST_NS, MOST_BYTES * NS_PER_SECOND / bytesPerSecond);
        double stepBytes = bytesPerSecond * durationNs / NS_PER_SECOND / STEPS;
        int parts = (int) Math.max(1, Math.ceil(stepBytes / (longest + OVERHEAD)));
        int length = Math.clamp(Math.round(stepBytes / parts) - OVERHEAD, SHORTEST_DATAGRAM, longest);
        double wire = (double) parts * (length + OVERHEAD);
        long periodNs = Math.round(wire * NS_PER_SECOND / bytesPerSecond);
        return new StreamShape(STEPS, parts, length, periodNs, primers(bytesPerSecond, length));
    }

    /**
     * Creates a train: as many of the longest datagrams as a stream has steps, sent at once. Their distance on arrival
     * bounds the rate.
     *
     * @param longest        payload of a datagram in bytes
     * @param bytesPerSecond bytes per second for which to send a primer first, or 0 for none
     */
    static StreamShape train(int longest, double bytesPerSecond) {
        int primers = bytesPerSecond == 0 ? 0 : primers(bytesPerSecond, longest);
        return new StreamShape(STEPS, 1, longest, 0, primers);
    }

    private static int primers(double bytesPerSecond, int length) {
        double bytes = Math.clamp(bytesPerSecond * PRIMER_NS / NS_PER_SECOND, SMALLEST_PRIMER, MOST_BYTES);
        return (int) Math.ceil(bytes / (length + OVERHEAD));
    }

    int datagrams() {
        return steps * parts;
    }

    /** Number of bytes on the wire, those of the primer included. */
    long wireBytes() {
        return (long) (datagrams() + primers) * (length + OVERHEAD);
    }

    long durationNs() {
        return steps * periodNs;
    }

    /** The rate on the wire in bytes per second. */
    double bytesPerSecond() {
        return (double) datagrams() * (length + OVERHEAD) * NS_PER_SECOND / durationNs();
    }
}
