package io.sluice.consistency.membership;

import io.sluice.codecs.sbe.ChallengeDecoder;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.PhiAccrualDetector;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;

/**
 * A welcomed node's session with the coordinator: it tracks the leader, measures its silence, and decides when the
 * silence is a failure. Used by the membership's thread, except for {@link #versionBroadcast}.
 */
final class CoordinatorSession implements AutoCloseable {
    private final LeaderTracker leaderTracker;
    private final HostLoad load;
    private final PhiAccrualDetector history;
    private final LeaderlessTimer leaderlessTimer;
    private final long joinNonce;
    private final long waitNs;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final HeartbeatDecoder heartbeat = new HeartbeatDecoder();
    private volatile long versionBroadcast = -1;
    private long beat;

    /**
     * Begins as if a message from the coordinator had just arrived.
     *
     * @param leaderTracker tracks which coordinator leads
     * @param plan          states how long the coordinator may be silent
     * @param joinNonce     join nonce with which this node has joined
     * @param waitNs        time to continue without a leader if there are several coordinators, in nanoseconds
     * @param network       prints reports for the operator
     * @param nowNs         current time
     */
    CoordinatorSession(
            LeaderTracker leaderTracker,
            ClusterPlan plan,
            long joinNonce,
            long waitNs,
            ControlNetwork network,
            long nowNs) {
        this.leaderTracker = leaderTracker;
        this.joinNonce = joinNonce;
        this.waitNs = waitNs;
        this.load = network.load();
        this.leaderlessTimer = new LeaderlessTimer(leaderTracker, waitNs, network);
        this.history = new PhiAccrualDetector(
                TimeUnit.MILLISECONDS.toNanos(plan.settings().heartbeatMs()),
                TimeUnit.MILLISECONDS.toNanos(plan.settings().livenessMs()),
                network.load(),
                nowNs);
    }

    /** Whether another coordinator can take over. */
    boolean isOfSeveral() {
        return leaderTracker.isOfSeveral();
    }

    /** Name of the coordinator that leads, for messages. */
    String leaderName() {
        return leaderTracker.leaderName();
    }

    /** How long a node may continue without a coordinator if there are several, in nanoseconds. */
    long waitNs() {
        return waitNs;
    }

    boolean offer(ControlMessages messages, int length) {
        return leaderTracker.offer(messages.buffer(), length);
    }

    /**
     * Whether a frame is from the stream of the coordinator, which proves that the coordinator is alive. Any process
     * can send a challenge, so a challenge proves nothing.
     */
    boolean isHeard(int templateId, int session, long nowNs) {
        boolean heard = ChallengeDecoder.TEMPLATE_ID != templateId && leaderTracker.isFromLeader(session);
        if (heard) {
            history.heard(nowNs);
        }
        return heard;
    }

    /**
     * Handles the number of a heartbeat and the version that servers have broadcast. A new leader may report an
     * older version.
     */
    void onHeartbeat(DirectBuffer buffer, int offset) {
        long stated = heartbeat.wrapAndApplyHeader(buffer, offset, header).clock();
        versionBroadcast = Math.max(versionBroadcast, stated);
        beat = Math.max(beat, heartbeat.beat());
    }

    /** The highest beat of a coordinator that has arrived; 0 for none. */
    long beat() {
        return beat;
    }

    /** The newest version that a server is known to have broadcast; -1 for none. For any thread. */
    long versionBroadcast() {
        return versionBroadcast;
    }

    /** Extends the silence allowed to the coordinator by a period in which this process was not running. */
    void extendDeadline(long stalledNs) {
        history.extendDeadline(stalledNs);
    }

    /**
     * The failure if this node cannot continue without the coordinator; null if the coordinator is alive, or another
     * may take over.
     */
    ClusterException loss(long nowNs) {
        load.factor(); // sampled even while no frame is late, because the factor depends on the last few seconds
        if (!history.isOverdue(nowNs)) {
            return null;
        }
        String silent = Silence.inWords(history.silenceNs(nowNs), history.allowedNs());
        return leaderTracker.isOfSeveral()
                ? leaderlessTimer.lasts(history.silenceNs(nowNs), silent)
                : new ClusterException(
                        Failure.PEER_LOST, leaderTracker.leaderName() + " has been " + silent + " and is lost");
    }

    /** Creates the error that no coordinator has confirmed in time that a node leaves. */
    ClusterException undecided(String node, long waitedNs) {
        return new ClusterException(
                Failure.TIMEOUT,
                node + " requests to leave, but " + leaderTracker.leaderName() + " has not confirmed it within "
                        + TimeUnit.NANOSECONDS.toMillis(waitedNs) + " ms, so others may declare it dead");
    }

    /** Processes a coordinator's announcement that it leads; returns whether this node follows it from now on. */
    boolean follow(DirectBuffer buffer, int offset, int length, int session, long nowNs) {
        if (!leaderTracker.follow(buffer, offset, length, session, joinNonce)) {
            return false;
        }
        leaderlessTimer.ends(history.silenceNs(nowNs));
        history.restart(nowNs);
        return true;
    }

    @Override
    public void close() {
        CloseHelper.quietClose(leaderTracker);
    }
}
