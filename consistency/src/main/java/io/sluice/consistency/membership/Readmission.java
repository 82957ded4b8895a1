package io.sluice.consistency.membership;

import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
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
    private final ControlNetwork network;
    private final NanoClock clock;
    private final EventSink sink;

    Readmission(
            Returns returns,
            Entrance entrance,
            Roster roster,
            Members nodes,
            SnapshotOrders snapshots,
            ControlNetwork network,
            NanoClock clock,
            EventSink sink) {
        this.sink = sink;
        this.returns = returns;
        this.entrance = entrance;
        this.roster = roster;
        this.nodes = nodes;
        this.snapshots = snapshots;
        this.network = network;
        this.clock = clock;
    }

    /**
     * The place of a dead node is kept for it. The process that had it is told: if it was only held up, it must end.
     */
    void await(int node, String reason) {
        nodes.tellOfItsLoss(node, Failure.PEER_LOST, reason + "; the cluster waits for it to be started again");
        snapshots.abandon();
        returns.await(node, reason, clock.nanoTime());
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
        sink.append(new Event.Rejoined(nodes.state().incarnation(node), candidate.seat(), start));
    }

    /** It is given a plan of its own, of the epoch that begins with it. */
    void onReadmitted(Event.Rejoined back, boolean effective) {
        int node = back.before().node();
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
        nodes.welcome(node);
        network.report(nodes.nameOf(node) + " is back after " + TimeUnit.NANOSECONDS.toMillis(awaitedNs)
                + " ms and goes on from " + (start.isRestored() ? "clock " + start.clock() : "the beginning"));
    }

    @Override
    public void refuse(Candidate candidate, String reason) {
        entrance.refuse(candidate, reason);
    }
}
