package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Detects silent peers and schedules this node's heartbeats. Only arithmetic on times in nanoseconds that the caller
 * takes from one monotonic clock; it does no I/O. Single-threaded.
 *
 * <p>A peer is overdue when it was silent for longer than the timeout and implausibly long for its {@link
 * PhiAccrualDetector}. The timeout must be at least twice the interval, so that one lost heartbeat does not end a peer.
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
     * For a fixed number of peers, none of them watched yet.
     *
     * @param peers how many; they are named 0 to {@code peers} - 1.
     * @param intervalNs between two of our own signs of life, 1 ms to 1 minute.
     * @param timeoutNs of silence that every peer is allowed, at least twice the interval.
     * @param load of this host, by which all that is allowed is longer.
     * @param nowNs the clock now; the first sign of life is due at once.
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

    /** Stops watching a peer: it has left, or its death is already dealt with. */
    public void unwatch(int peer) {
        watched[peer] = false;
    }

    /** Whether the peer is watched. */
    public boolean isWatched(int peer) {
        return watched[peer];
    }

    /** Any frame from a peer proves that the peer is alive. Without effect on a peer that is not watched. */
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
     * The lowest watched peer that is overdue.
     *
     * @param nowNs the clock now.
     * @return its number, or {@link #NONE}.
     */
    public int firstOverdue(long nowNs) {
        load.factor(); // sampled also while no node is late: the load of the last seconds counts
        for (int peer = 0; peer < watched.length; peer++) {
            if (watched[peer] && histories[peer].isOverdue(nowNs)) {
                return peer;
            }
        }
        return NONE;
    }

    /**
     * Excludes a time in which this process itself was held up (stopped, suspended, starved): it could not have
     * received heartbeats.
     *
     * @param stalledNs how long it was held up.
     */
    public void forgive(long stalledNs) {
        for (PhiAccrualDetector history : histories) {
            history.forgive(stalledNs);
        }
    }

    /**
     * Whether our own sign of life is due. If so the next one is due an interval from now, so the caller must send one.
     *
     * @param nowNs the clock now.
     * @return true once per interval.
     */
    public boolean heartbeatDue(long nowNs) {
        if (nowNs - nextDueNs < 0) {
            return false;
        }
        nextDueNs = nowNs + intervalNs;
        return true;
    }

    /** Between two of our own signs of life, in nanoseconds. */
    public long intervalNs() {
        return intervalNs;
    }

    /** Silence that every peer is allowed, in nanoseconds. */
    public long timeoutNs() {
        return timeoutNs;
    }
}
