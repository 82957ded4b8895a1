package io.sluice.messaging;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One wait of a thread: reports what the thread waits for once the wait has lasted for {@value #SHORTEST_S} s, and
 * again in intervals that grow from {@value #SHORTEST_S} s to a minute, and decides when the wait is over. It only
 * computes with times in nanoseconds that the caller takes from one monotonic clock. Single-threaded, and reusable for
 * one wait after another. Allocates nothing before there is something to report.
 *
 * <pre>{@code
 * patience.begin(clock.nanoTime());
 * while (!isThere()) {
 *     long nowNs = clock.nanoTime();
 *     if (patience.isOver(nowNs)) {
 *         throw late(patience.waitedNs(nowNs));
 *     }
 *     if (patience.isTime(nowNs)) {
 *         patience.report("version 7 of server 1", nowNs);
 *     }
 *     idle.idle();
 * }
 * }</pre>
 */
public final class Patience {
    /** For a wait that only the end of the job ends. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private static final int SHORTEST_S = 10;
    private static final long SHORTEST_NS = TimeUnit.SECONDS.toNanos(SHORTEST_S);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);

    private final String waiter;
    private final long limitNs;
    private final Consumer<String> report;
    private long beganNs;
    private long countedNs;
    private long nextNs;

    /**
     * Begins a wait.
     *
     * @param waiter  name of the waiting node, which begins each sentence.
     * @param limitNs maximum length of the wait in nanoseconds, or {@link #UNLIMITED}.
     * @param report  receives the sentences.
     * @param nowNs   current time.
     */
    public Patience(String waiter, long limitNs, Consumer<String> report, long nowNs) {
        this.waiter = waiter;
        this.limitNs = limitNs;
        this.report = report;
        begin(nowNs);
    }

    /** Begins another wait. */
    public void begin(long nowNs) {
        beganNs = nowNs;
        countedNs = nowNs;
        nextNs = SHORTEST_NS;
    }

    /** Restarts the limit now, because of progress or because the wait is due to a node that is away. */
    public void extend(long nowNs) {
        countedNs = nowNs;
    }

    /** The part of the limit that is used up, in nanoseconds. */
    public long waitedNs(long nowNs) {
        return nowNs - countedNs;
    }

    /** Whether the wait has exceeded its limit. */
    public boolean isOver(long nowNs) {
        return nowNs - countedNs > limitNs;
    }

    /** Whether a message is due: then call {@link #report(String, long)}. */
    public boolean isTime(long nowNs) {
        return nowNs - beganNs >= nextNs;
    }

    /**
     * Reports what the thread waits for.
     *
     * @param awaited what the node waits for, by name of the thing, the node and the link; empty to report nothing now.
     * @param nowNs current time.
     */
    public void report(String awaited, long nowNs) {
        long forNs = nowNs - beganNs;
        nextNs = forNs + Math.clamp(forNs, SHORTEST_NS, LONGEST_NS);
        if (!awaited.isEmpty()) {
            long leftNs = limitNs - waitedNs(nowNs);
            String rest = UNLIMITED == limitNs
                    ? "; it waits without a limit"
                    : seconds(leftNs) <= 0 ? "" : "; it waits at most " + seconds(leftNs) + " s more";
            report.accept(waiter + " has waited for " + seconds(forNs) + " s for " + awaited + rest);
        }
    }

    private static long seconds(long ns) {
        return TimeUnit.NANOSECONDS.toSeconds(ns);
    }
}
