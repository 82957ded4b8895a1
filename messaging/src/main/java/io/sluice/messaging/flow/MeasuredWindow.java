package io.sluice.messaging.flow;

import java.util.concurrent.TimeUnit;

/**
 * The window of one stream, where nothing states the rates of links: as many bytes as keep 20 ms of the stream's own
 * rate waiting on its path. So the streams over a link fill the link, and its queue stays short, however many streams
 * there are.
 *
 * <p>After each sample of 40 ms or more the window grows to what its rate has proved: the bytes that arrive in the
 * round trip of the empty path and 20 ms more, as with BBR (Cardwell et al., ACM Queue 14(5), 2016). Otherwise, if the
 * stream uses its window, the shortest of three round trips decides whether more waits than should, or less, as with
 * FAST TCP (Wei et al. 2006). The time that the request has waited does not count there: data that the receiver
 * sends would shrink the windows of data that it receives. Since the shortest decides, threads that pause do not shrink
 * windows. Loss shrinks a window only if the rate does not prove it, so loss at random does not. A window at most
 * halves in one step. Each step adds two datagrams: a larger part of a smaller window, so streams over one link become
 * equal.
 *
 * <p>The round trip of the empty path is the shortest of all. It is measured before the stream carries data, and again
 * in a pause of the stream if the measurement is old: at any other time the round trip would include the stream's own
 * queue.
 *
 * <p>The driver's receiver thread sends the requests that measure round trips and processes the replies; its conductor
 * does everything else. Allocates nothing.
 */
final class MeasuredWindow {
    /** Window of a new stream in bytes, if datagrams are short. */
    static final int FIRST = 16 << 10;

    /**
     * Target queueing delay: the window holds this much time's data at the stream's rate, beyond the round trip of the
     * empty path.
     */
    private static final long QUEUE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long MICRO_NS = TimeUnit.MICROSECONDS.toNanos(1);

    private static final int LEAST_DATAGRAMS = 2;

    private static final long SAMPLE_NS = 2 * QUEUE_NS;

    /**
     * The longest time that a sample waits until gaps are closed: only then is it known which bytes have arrived.
     */
    private static final long LONGEST_SAMPLE_NS = 5 * SAMPLE_NS;

    /**
     * A sample that contains this many windows may end early, because a fast path is filled within a few milliseconds.
     */
    private static final int WINDOWS = 8;

    private static final long SHORTEST_SAMPLE_NS = SAMPLE_NS / 8;

    /** The largest factor by which a proved window grows in one step. */
    private static final double GROWTH = 4;

    /** Factor by which a window shrinks in one step at most, and by which it grows at most if round trips are short. */
    private static final double STEP = 2;

    /** The part of a window in flight from which the stream uses its window. */
    private static final double USED = 0.9;

    /** Time between two requests for the round trip. */
    private static final long ASK_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Round trips of a sample that count. */
    private static final int COUNTED = 3;

    /**
     * Age at which the round trip of the empty path is measured again in a pause of the stream, because a route may
     * change.
     */
    private static final long OLD_NS = TimeUnit.MINUTES.toNanos(1);

    private final int mtu;
    private final int least;
    private final int most;
    private double window;
    private boolean began;
    private boolean gap;
    private long sampleNs;
    private long sampleHighest;
    private long sampleComplete;
    private int heard;
    private int counted;
    private long shortest;
    private long sum;
    private long sumWaited;
    private long empty;
    private long emptyNs;

    // used by the receiver's thread only
    private long askedNs;
    private boolean asked;
    private int answerCount;

    private volatile boolean active;
    private volatile boolean known;

    /** Microseconds of the last round trip; in the upper half, those for which its request waited. */
    private volatile long answer;

    private volatile int answers;

    /**
     * Creates the window of a new stream.
     *
     * @param mtu  length of the longest datagram, in bytes
     * @param most maximum number of bytes in flight, whatever the rate
     */
    MeasuredWindow(int mtu, int most) {
        this.mtu = mtu;
        this.most = most;
        least = Math.min(most, LEAST_DATAGRAMS * mtu);
        window = Math.clamp(FIRST, least, most);
    }

    /** The window as it was last computed, in bytes. */
    int bytes() {
        return (int) window;
    }

    /** Whether the receiver should send a request for the round trip now. */
    boolean asks(long nowNs) {
        return (active || !known) && (!asked || nowNs - askedNs >= ASK_NS);
    }

    /** Records that the receiver has sent a request. */
    void onAsked(long nowNs) {
        asked = true;
        askedNs = nowNs;
    }

    /**
     * Records a reply.
     *
     * @param roundTripNs time from the request to the reply
     * @param waitedNs    part of it that the request has waited, on the path that carries no data of this stream
     */
    void onAnswer(long roundTripNs, long waitedNs) {
        long micros = Math.clamp(roundTripNs / MICRO_NS, 1, Integer.MAX_VALUE);
        long waited = waitedNs / MICRO_NS;
        answer = micros | (waited > 0 && waited < micros ? waited << Integer.SIZE : 0);
        answerCount++;
        answers = answerCount;
    }

    /**
     * Computes the window.
     *
     * @param nowNs    the time
     * @param highest  position up to which some data has arrived
     * @param complete position up to which all data has arrived
     * @return bytes
     */
    int bytes(long nowNs, long highest, long complete) {
        listen(nowNs);
        if (active) {
            gap |= highest != complete;
            long lasted = nowNs - sampleNs;
            boolean enough = lasted >= SAMPLE_NS && counted >= COUNTED
                    || lasted >= SHORTEST_SAMPLE_NS && highest - sampleHighest >= WINDOWS * window;
            if (lasted >= LONGEST_SAMPLE_NS || enough && highest == complete) {
                sample(nowNs, highest, complete);
            }
        } else if (!began || highest != sampleHighest) {
            active = began;
            began = true;
            begin(nowNs, highest, complete);
        }
        return bytes();
    }

    private void listen(long nowNs) {
        int now = answers;
        if (now == heard) {
            return;
        }
        heard = now;
        long both = answer;
        long roundTrip = (int) both * MICRO_NS;
        long withoutWait = roundTrip - (both >> Integer.SIZE) * MICRO_NS;
        if (!known || withoutWait <= empty) {
            empty = withoutWait;
            emptyNs = nowNs;
            known = true;
        }
        if (nowNs - sampleNs >= 2 * roundTrip - withoutWait) { // the sender had the window before the request
            shortest = counted == 0 ? withoutWait : Math.min(shortest, withoutWait);
            sum += roundTrip;
            sumWaited += roundTrip - withoutWait;
            counted++;
        }
    }

    private void sample(long nowNs, long highest, long complete) {
        // data received beyond a gap counts once the gap is filled; the retransmitted data is not counted twice
        long arrived = Math.min(highest - sampleHighest, complete - sampleComplete);
        active = highest != sampleHighest || highest != complete;
        if (active) {
            step((double) arrived / (nowNs - sampleNs));
        } else if (nowNs - emptyNs > OLD_NS) {
            known = false;
        }
        begin(nowNs, highest, complete);
    }

    private void step(double rate) {
        long waited = counted == 0 ? 0 : sumWaited / counted; // the permission to send waits as long as requests do
        long target = empty + QUEUE_NS + waited;
        double share = LEAST_DATAGRAMS * mtu;
        double proved = rate * target + share;
        double next = Math.min(proved, GROWTH * window);
        if (next < window) {
            if (gap) {
                next = Math.max(proved, window / STEP);
            } else if (counted > 0 && rate * sum / counted >= USED * window) {
                next = Math.clamp(window * target / (shortest + waited) + share, window / STEP, window * STEP);
            } else {
                next = window;
            }
        }
        window = Math.clamp(next, least, most);
    }

    private void begin(long nowNs, long highest, long complete) {
        sampleNs = nowNs;
        sampleHighest = highest;
        sampleComplete = complete;
        gap = false;
        counted = 0;
        sum = 0;
        sumWaited = 0;
    }
}
