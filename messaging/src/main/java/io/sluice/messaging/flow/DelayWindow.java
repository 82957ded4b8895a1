package io.sluice.messaging.flow;

import java.util.concurrent.TimeUnit;

/**
 * What one stream may have on its way, by the delay that it meets: each stream keeps a few bytes waiting on its path,
 * and fewer the longer all wait there. So the window follows the rate that the path delivers, queues stay below 30 ms
 * however many streams share them, and streams with one bottleneck get equal rates. The law is that of FAST TCP (Wei et
 * al. 2006) with a share that shrinks as the delay grows.
 *
 * <p>Delay is that of an answered question above the least one of the last minute. Delays of a few milliseconds are
 * those of threads and do not count, so on a fast network the window grows until something else limits it. Loss counts
 * only where packets wait: loss at random says nothing of the path.
 *
 * <p>The driver's receiver asks and hears answers; its conductor does all else.
 */
final class DelayWindow {
    /** Bytes of a stream before the path is known. */
    static final int START = 32 << 10;

    /** Between two questions. */
    static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Delay that threads cause. */
    private static final long THREADS_NS = TimeUnit.MILLISECONDS.toNanos(4);

    /** Delay beyond that, at which all streams give way. */
    private static final double MOST_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Bytes that a stream keeps in an empty queue. */
    private static final double SHARE = 64 << 10;

    /** Part of the way to the goal that each step goes. */
    private static final double GAIN = 0.5;

    /** By which part the window of a new stream grows in each step until bytes wait. */
    private static final double GROWTH = 0.5;

    /** Answers of which the shortest counts: one may have waited for a thread. */
    private static final int ANSWERS = 2;

    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Without a step for so long, and with loss: answers are lost, too. */
    private static final long SILENCE_NS = 4 * PATIENCE_NS;

    private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(30);

    private final int least;
    private final int most;
    private double window;
    private boolean growing = true;
    private boolean lost;
    private boolean began;
    private long stepNs;
    private long stepPosition;
    private int heard;
    private long shortest = Long.MAX_VALUE;
    private long base = Long.MAX_VALUE;
    private long earlierBase = Long.MAX_VALUE;
    private long periodNs;

    // of the receiver's thread
    private long askedNs;
    private boolean asked;
    private boolean waits;
    private int answeredCount;

    private volatile boolean active = true;
    private volatile int answers;
    private volatile long answerNs;

    /**
     * Of a new stream.
     *
     * @param least bytes, whatever the delay
     * @param most  bytes
     */
    DelayWindow(int least, int most) {
        this.least = least;
        this.most = most;
        window = Math.clamp(START, least, most);
    }

    /** The window, as far as it is known. */
    int bytes() {
        return (int) window;
    }

    /** Whether the receiver is to ask for the delay now. */
    boolean asks(long nowNs) {
        return active && (!asked || nowNs - askedNs >= (waits ? PATIENCE_NS : INTERVAL_NS));
    }

    /** It has asked. */
    void onAsked(long nowNs) {
        askedNs = nowNs;
        asked = true;
        waits = true;
    }

    /** It has heard an answer. */
    void onAnswer(long delayNs) {
        waits = false;
        answerNs = delayNs;
        answeredCount++;
        answers = answeredCount;
    }

    /**
     * The window now.
     *
     * @param nowNs   the time
     * @param highest position that has arrived
     * @param lossNow whether a gap was found since the last call
     * @return bytes
     */
    int bytes(long nowNs, long highest, boolean lossNow) {
        if (!began) {
            began = true;
            periodNs = nowNs;
            restart(nowNs, highest);
        }
        lost |= lossNow;
        int now = answers;
        if (now != heard) {
            heard = now;
            long delay = Math.max(1, answerNs);
            base = Math.min(base, delay);
            shortest = Math.min(shortest, delay);
            active = highest != stepPosition;
            if (now % ANSWERS == 0) {
                step(nowNs, highest);
            }
        } else if (!active && highest != stepPosition) {
            active = true;
            restart(nowNs, highest);
        } else if (lost && nowNs - stepNs > SILENCE_NS) {
            growing = false;
            window = Math.max(least, window / 2);
            restart(nowNs, highest);
        }
        return (int) window;
    }

    private void step(long nowNs, long highest) {
        double rate = (double) (highest - stepPosition) / Math.max(1, nowNs - stepNs);
        double queued = Math.max(0, shortest - Math.min(base, earlierBase) - THREADS_NS);
        double own = rate * queued;
        double goal = SHARE * (1 - queued / MOST_NS);
        growing &= own < goal && !lost;
        if (lost && queued > 0) {
            window = Math.min(window, rate * shortest) - own / 2;
        } else {
            double change = growing ? GROWTH * window : gain(rate) * (goal - own);
            boolean used = rate * shortest >= window / 2 || highest - stepPosition >= window / 2;
            window += change < 0 || used ? change : 0;
        }
        window = Math.clamp(window, least, most);
        if (nowNs - periodNs > PERIOD_NS) {
            periodNs = nowNs;
            earlierBase = base;
            base = shortest;
        }
        restart(nowNs, highest);
    }

    /** The more slowly a path delivers, the longer each byte waits, and the more the goal falls. */
    private static double gain(double rate) {
        return rate > 0 ? GAIN / (1 + SHARE / (rate * MOST_NS)) : 0;
    }

    private void restart(long nowNs, long position) {
        stepNs = nowNs;
        stepPosition = position;
        shortest = Long.MAX_VALUE;
        lost = false;
    }
}
