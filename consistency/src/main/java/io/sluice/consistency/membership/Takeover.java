package io.sluice.consistency.membership;

import io.sluice.codecs.seal.FrameOpener;
import io.sluice.consistency.membership.ClusterState.Member;
import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.NodeIds;
import io.sluice.consistency.terms.Role;
import io.sluice.messaging.Liveness;
import org.agrona.concurrent.NanoClock;

/**
 * How a coordinator goes on where another has ceased to lead: it calls all nodes. Each answers with the number of the
 * last event that it has applied, and hears those behind. A node that is lost is told so at once: it may only have been
 * held up, and the coordinator before may not have told it. Used by the coordinator's thread.
 */
final class Takeover {
    private final ClusterSettings settings;
    private final Members nodes;
    private final Roster roster;
    private final Returns returns;
    private final SnapshotOrders snapshots;
    private final Leading leading;
    private final Liveness liveness;
    private final ControlNetwork network;
    private final NanoClock clock;

    Takeover(
            ClusterSettings settings,
            Members nodes,
            Roster roster,
            Returns returns,
            SnapshotOrders snapshots,
            Leading leading,
            Liveness liveness,
            ControlNetwork network,
            NanoClock clock) {
        this.settings = settings;
        this.nodes = nodes;
        this.roster = roster;
        this.returns = returns;
        this.snapshots = snapshots;
        this.leading = leading;
        this.liveness = liveness;
        this.network = network;
        this.clock = clock;
    }

    /**
     * Calls all nodes.
     *
     * @param opener is given their keys; null without a secret
     */
    void begin(FrameOpener opener) {
        ClusterState state = nodes.state();
        long nowNs = clock.nanoTime();
        Candidate[] all = new Candidate[state.members().size()];
        for (int node = 0; node < all.length; node++) {
            all[node] = candidate(node, state.member(node));
        }
        roster.restore(all, state.job().declared());
        nodes.admit(all);
        nodes.follow();
        snapshots.resume(state.job().start().run(), state.saved(), all.length, nowNs);
        for (int node = 0; node < all.length; node++) {
            Member member = state.member(node);
            if (Presence.AWAY == member.presence()) {
                returns.await(node, lossOf(node), nowNs);
            }
            if (all[node].isReachable()) {
                leading.greet(all[node]);
            }
            if (isDead(member)) {
                tellOfItsLoss(node, member.presence());
            } else if (all[node].isReachable() && null != opener) {
                opener.admit(node, member.epoch(), member.seat().nonce());
            }
            if (member.presence().isPresent()) {
                liveness.watch(node, nowNs);
            } else if (Presence.VACANT != member.presence()) {
                snapshots.stopUnlessAwaited(member.presence());
            }
        }
    }

    private static boolean isDead(Member member) {
        return Presence.LOST == member.presence() || Presence.AWAY == member.presence();
    }

    private String lossOf(int node) {
        return nodes.nameOf(node) + " was lost under a coordinator before this one";
    }

    private void tellOfItsLoss(int node, Presence presence) {
        String consequence = Presence.AWAY == presence
                ? "; the cluster waits for it to be started again"
                : "; the cluster goes on without it";
        nodes.tellOfItsLoss(node, Failure.PEER_LOST, lossOf(node) + consequence);
    }

    private Candidate candidate(int node, Member member) {
        NodeIds ids = settings.nodeIds();
        Role role = ids.role(node);
        int index = ids.index(node);
        if (0 == member.seat().nonce()) {
            return Candidate.absent(role, index);
        }
        Event.Seat seat = new Event.Seat(member.seat().nonce(), member.seat().endpoint(), member.home());
        Candidate reached = Candidate.reachedBy(
                network, role.ordinal(), index, seat.nonce(), Claims.NONE, seat.endpoint(), seat.host());
        Candidate candidate = null == reached ? Candidate.unreachable(role, index, seat) : reached;
        candidate.isMember = true;
        candidate.hostNow = member.seat().host();
        return candidate;
    }
}
