package io.sluice.consistency.membership;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * The coordinator's part in {@link DeathPolicy#WAIT} (decision 29): keeps the place of a dead node, and lets the one in
 * that takes it, from the snapshot committed last. Used by the coordinator's thread.
 */
final class Readmission implements Returns.Gate {
    private final Returns returns;
    private final Entrance entrance;
    private final Roster roster;
    private final Members nodes;
    private final SnapshotOrders snapshots;
    private final ControlMessages messages;
    private final ControlNetwork network;
    private final NanoClock clock;
    private final DecisionLog log;

    Readmission(
            Returns returns,
            Entrance entrance,
            Roster roster,
            Members nodes,
            SnapshotOrders snapshots,
            ControlMessages messages,
            ControlNetwork network,
            NanoClock clock,
            DecisionLog log) {
        this.log = log;
        this.returns = returns;
        this.entrance = entrance;
        this.roster = roster;
        this.nodes = nodes;
        this.snapshots = snapshots;
        this.messages = messages;
        this.network = network;
        this.clock = clock;
    }

    /**
     * The place of a dead node is kept for it. The process that had it is told: if it was only held up, it must end.
     */
    void await(int node, long reached, String reason) {
        nodes.tellOfItsLoss(node, Failure.PEER_LOST, reason + "; the cluster waits for it to be started again");
        snapshots.abandon();
        returns.await(node, reason, clock.nanoTime());
        nodes.follow();
        network.report(reason + "; it had reached clock " + reached + "; the cluster waits for it");
        nodes.tellAll(messages.lost(node, reached));
    }

    /** Decides of those who ask; returns why the cluster cannot wait any longer, or null. */
    String work(long nowNs) {
        if (returns.areAwaited() && !returns.asking().isEmpty()) {
            returns.decide(snapshots.run(), snapshots.committed(), this, nowNs);
        }
        return returns.overdue(nowNs);
    }

    @Override
    public void admit(int node, Candidate candidate) {
        returns.admitting(candidate);
        StartPoint start = new StartPoint(snapshots.run(), snapshots.committed(), snapshots.previous());
        log.append(new Decision.Readmitted(node, nodes.life(node), candidate.seat(), start));
    }

    /** It is given a plan of its own, of the epoch that begins with it. */
    void onReadmitted(Decision.Readmitted back, boolean effective) {
        int node = back.node();
        Candidate candidate = returns.admitted(back.seat().nonce());
        if (null == candidate) {
            return; // decided by another coordinator than this
        }
        if (!effective) {
            candidate.close(); // another was first
            return;
        }
        long awaitedNs = returns.awaitedNs(node, clock.nanoTime());
        StartPoint start = back.start();
        Candidate before = nodes.replace(node, candidate);
        roster.replace(before, candidate);
        before.close();
        nodes.welcome(node, nodes.plan(start));
        int length = messages.back(node, candidate.nonce, start.clock(), candidate.endpoint);
        for (int other = 0; other < nodes.size(); other++) {
            if (other != node) {
                nodes.tell(other, length);
            }
        }
        for (int other = 0; other < nodes.size(); other++) {
            if (nodes.get(other).hasLeft()) {
                nodes.tell(node, messages.leave(other, nodes.get(other).leftAt));
            }
        }
        network.report(nodes.nameOf(node) + " is back after " + TimeUnit.NANOSECONDS.toMillis(awaitedNs)
                + " ms and goes on from " + (start.isRestored() ? "clock " + start.clock() : "the beginning"));
    }

    @Override
    public void refuse(Candidate candidate, String reason) {
        entrance.refuse(candidate, reason);
    }
}
