package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Detects silent peers, which are processes that send heartbeats to this node, and schedules this node's heartbeats. It
 * does no I/O: it only computes with times in nanoseconds, which the caller takes from one monotonic clock.
 * Single-threaded.
 *
 * <p>A peer is overdue when its silence is longer than the timeout and also implausibly long according to its {@link
 * PhiAccrualDetector}. The timeout must be at least twice the interval, so that the loss of one heartbeat does not make
 * a peer overdue.
 */
public final class Liveness {
    /** Result of {@link #firstOverdue} when no watched peer is overdue. */
    public static final int NONE = -1;

    private final long intervalNs;
    private final long timeoutNs;
    private final HostLoad load;
    private final PhiAccrualDetector[] histories;
    private final boolean[] watched;
    private long nextDueNs;

    /**
     * Creates the liveness of a fixed number of peers, none of which is watched yet.
     *
     * @param peers number of peers, which are numbered 0 to {@code peers} - 1.
     * @param intervalNs nanoseconds between two heartbeats of this node, 1 ms to 1 minute.
     * @param timeoutNs nanoseconds that every peer may be silent, at least twice the interval.
     * @param load load of this host, which extends the allowed silence.
     * @param nowNs current time; the first heartbeat is due at once.
     * @throws MessagingException if a value is out of its range.
     */
    public Liveness(int peers, long intervalNs, long timeoutNs, HostLoad load, long nowNs) {
        Settings.inRange("peers", peers, 0, 1 << 20);
        Settings.inRange("intervalNs", intervalNs, TimeUnit.MILLISECONDS.toNanos(1), TimeUnit.MINUTES.toNanos(1));
        Settings.inRange("timeoutNs", timeoutNs, 2 * intervalNs, TimeUnit.HOURS.toNanos(1));
        this.intervalNs = intervalNs;
        this.timeoutNs = timeoutNs;
        this.histories = new PhiAccrualDetector[peers];
        Arrays.setAll(histories, _ -> new PhiAccrualDetector(intervalNs, timeoutNs, load, nowNs));
        this.watched = new boolean[peers];
        this.load = load;
        this.nextDueNs = nowNs;
    }

    /** Starts to watch a peer, as if its first heartbeat had just arrived. */
    public void watch(int peer, long nowNs) {
        histories[peer].restart(nowNs);
        watched[peer] = true;
    }

    /** Stops watching a peer: it has left, or its death has been handled. */
    public void unwatch(int peer) {
        watched[peer] = false;
    }

    /** Whether the peer is watched. */
    public boolean isWatched(int peer) {
        return watched[peer];
    }

    /**
     * Records a frame from a peer, which proves that the peer is alive. Has no effect on a peer that is not watched.
     */
    public void heard(int peer, long nowNs) {
        histories[peer].heard(nowNs);
    }

    /** How long a peer has been silent, in nanoseconds. */
    public long silenceNs(int peer, long nowNs) {
        return histories[peer].silenceNs(nowNs);
    }

    /** How long a peer may be silent in view of its history, in nanoseconds. */
    public long allowedNs(int peer) {
        return histories[peer].allowedNs();
    }

    /**
     * Finds the overdue peer with the lowest number among the watched peers.
     *
     * @param nowNs current time.
     * @return its number, or {@link #NONE}.
     */
    public int firstOverdue(long nowNs) {
        load.factor(); // sampled even while no peer is late, because the factor depends on the last few seconds
        for (int peer = 0; peer < watched.length; peer++) {
            if (watched[peer] && histories[peer].isOverdue(nowNs)) {
                return peer;
            }
        }
        return NONE;
    }

    /**
     * Extends the silence allowed to each node by a time in which this process was stopped, suspended or starved and
     * could not receive heartbeats.
     *
     * @param stalledNs length of that time in nanoseconds.
     */
    public void extendDeadlines(long stalledNs) {
        for (PhiAccrualDetector history : histories) {
            history.extendDeadline(stalledNs);
        }
    }

    /**
     * Whether a heartbeat of this node is due. If so, the caller must send it: the next one is due an interval from
     * now.
     *
     * @param nowNs current time.
     * @return true once per interval.
     */
    public boolean heartbeatDue(long nowNs) {
        if (nowNs - nextDueNs < 0) {
            return false;
        }
        nextDueNs = nowNs + intervalNs;
        return true;
    }

    /** The interval between two heartbeats of this node, in nanoseconds. */
    public long intervalNs() {
        return intervalNs;
    }

    /** The silence that every peer is allowed, in nanoseconds. */
    public long timeoutNs() {
        return timeoutNs;
    }
}
