package io.sluice.consistency.membership;

import io.sluice.codecs.seal.FrameOpener;
import io.sluice.consistency.membership.ClusterRecord.Member;
import io.sluice.consistency.membership.ClusterRecord.Presence;
import io.sluice.consistency.membership.ClusterRecord.Turn;
import io.sluice.messaging.Liveness;
import java.util.BitSet;
import org.agrona.concurrent.NanoClock;

/**
 * How a coordinator goes on where another has ceased to lead: it calls all nodes of the record, and tells each, as soon
 * as that has answered, what the one before may not have told it. All of that may be told twice: an epoch begins once,
 * and the rest says how things are. Whoever was taken for dead is told so at once: it may only have been held up, and
 * the one before may not have come to it. Used by the coordinator's thread.
 */
final class Takeover {
    private final ClusterRecord record;
    private final ClusterSettings settings;
    private final Members nodes;
    private final Roster roster;
    private final Returns returns;
    private final SnapshotOrders snapshots;
    private final Leading leading;
    private final ControlMessages messages;
    private final Liveness liveness;
    private final ControlNetwork network;
    private final NanoClock clock;

    /** Nodes that were called and have not answered yet. */
    private final BitSet unheard = new BitSet();

    Takeover(
            ClusterRecord record,
            ClusterSettings settings,
            Members nodes,
            Roster roster,
            Returns returns,
            SnapshotOrders snapshots,
            Leading leading,
            ControlMessages messages,
            Liveness liveness,
            ControlNetwork network,
            NanoClock clock) {
        this.record = record;
        this.settings = settings;
        this.nodes = nodes;
        this.roster = roster;
        this.returns = returns;
        this.snapshots = snapshots;
        this.leading = leading;
        this.messages = messages;
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
        long nowNs = clock.nanoTime();
        Candidate[] all = new Candidate[record.members().size()];
        for (int node = 0; node < all.length; node++) {
            all[node] = candidate(node);
        }
        roster.restore(all, record.completed().declared());
        nodes.admit(all);
        nodes.follow();
        snapshots.resume(record.completed().start().run(), record.saved(), all.length, nowNs);
        for (int node = 0; node < all.length; node++) {
            Member member = record.member(node);
            if (Presence.AWAY == member.presence()) {
                returns.await(node, lossOf(node), nowNs);
            }
            if (all[node].isReachable()) {
                leading.greet(all[node]);
            }
            if (isDead(member)) {
                tellOfItsLoss(node, member.presence());
            } else if (all[node].isReachable()) {
                unheard.set(node);
                if (null != opener) {
                    opener.admit(node, member.life(), member.seat().nonce());
                }
            }
            if (Presence.HERE == member.presence()) {
                liveness.watch(node, nowNs);
            } else {
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

    private Candidate candidate(int node) {
        Member member = record.member(node);
        // For trees a node that came back is where it was: only the endpoint is another.
        String host = record.completed().seats().get(node).host();
        Decision.Seat seat =
                new Decision.Seat(member.seat().nonce(), member.seat().endpoint(), host);
        NodeIds ids = settings.nodeIds();
        Role role = ids.role(node);
        int index = ids.index(node);
        boolean listens = Presence.HERE == member.presence() || Presence.LEFT == member.presence() || isDead(member);
        Candidate reached = listens
                ? Candidate.reachedBy(
                        network, role.ordinal(), index, seat.nonce(), Claims.NONE, seat.endpoint(), seat.host())
                : null;
        Candidate candidate = null == reached ? Candidate.unreachable(role, index, seat) : reached;
        candidate.wasLetIn = true;
        candidate.hostNow = member.seat().host();
        return candidate;
    }

    /** A member has been heard: if it is for the first time, it is told what it may not know. */
    void heard(int node, int epoch) {
        if (!unheard.get(node)) {
            return;
        }
        unheard.clear(node);
        tellTurns(node, epoch);
        tellWhoHasLeft(node, Role.WORKER);
        if (0 != snapshots.run()) {
            Decision.Saved saved = record.saved();
            tell(node, messages.snapshot(saved.ordered(), saved.committed(), saved.previous()));
        }
        if (record.isOver()) {
            tell(node, messages.leave(ControlIds.COORDINATOR, record.lastClock()));
            tellWhoHasLeft(node, Role.SERVER);
        }
        Decision.Failed end = record.failure();
        if (null != end) {
            tell(node, messages.error(end.failure(), nodes.get(node).nonce, end.subject(), end.message()));
        }
    }

    private void tellTurns(int node, int epoch) {
        int begun = epoch;
        for (Turn turn : record.turnsAfter(epoch)) {
            begun++;
            messages.enter(begun);
            int length = turn.lost()
                    ? messages.lost(turn.node(), turn.clock())
                    : messages.back(
                            turn.node(),
                            turn.seat().nonce(),
                            turn.clock(),
                            turn.seat().endpoint());
            tell(node, length);
        }
        messages.enter(record.epoch());
    }

    private void tellWhoHasLeft(int node, Role role) {
        for (int other = 0; other < nodes.size(); other++) {
            if (nodes.get(other).role == role && nodes.get(other).hasLeft()) {
                tell(node, messages.leave(other, nodes.get(other).leftAt));
            }
        }
    }

    /** Also one that has left hears, until it knows that this is safe. */
    private void tell(int node, int length) {
        nodes.get(node).tell(messages, length);
    }

    /** Whether a candidate is a node that was let in, and may not have been told so. */
    boolean awaits(Candidate candidate) {
        return !unheard.isEmpty() && nodes.size() > 0 && unheard.get(nodes.nodeOf(candidate));
    }

    /** Tells a node that was let in by another coordinator, and asks again, that it is. */
    void welcomeAgain(Candidate candidate) {
        int node = nodes.nodeOf(candidate);
        Member member = record.member(node);
        messages.enter(member.life());
        nodes.welcome(node, nodes.plan(member.life(), member.start()));
        messages.enter(record.epoch());
    }
}
