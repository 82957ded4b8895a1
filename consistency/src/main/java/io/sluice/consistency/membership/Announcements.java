package io.sluice.consistency.membership;

import io.sluice.messaging.Liveness;

/** Tells nodes, and people, what a coordinator has decided. Used by the coordinator's thread. */
final class Announcements {
    private final ClusterRecord record;
    private final Members nodes;
    private final Liveness liveness;
    private final SnapshotOrders snapshots;
    private final Readmission readmission;
    private final CrewPolls crews;
    private final Leading leading;
    private final ControlMessages messages;
    private final ControlNetwork network;

    /** Who is let in once the cluster is complete, in order of id. */
    private Candidate[] expected = new Candidate[0];

    private boolean failureTold;

    Announcements(
            ClusterRecord record,
            Members nodes,
            Liveness liveness,
            SnapshotOrders snapshots,
            Readmission readmission,
            CrewPolls crews,
            Leading leading,
            ControlMessages messages,
            ControlNetwork network) {
        this.record = record;
        this.nodes = nodes;
        this.liveness = liveness;
        this.snapshots = snapshots;
        this.readmission = readmission;
        this.crews = crews;
        this.leading = leading;
        this.messages = messages;
        this.network = network;
        this.failureTold = null != record.failure();
    }

    /** These will be the nodes, once that is decided. */
    void expect(Candidate[] all) {
        expected = all;
    }

    /** Tells all that have come that they cannot work together. */
    void refuse(Candidate[] all, String message) {
        for (Candidate candidate : all) {
            int length = messages.error(Failure.REFUSED, candidate.nonce, ControlIds.COORDINATOR, message);
            candidate.tell(messages, length);
        }
    }

    /**
     * Says what has become a fact.
     *
     * @param decision  that the record has taken in
     * @param effective whether it has changed anything
     */
    void announce(Decision decision, boolean effective) {
        if (decision instanceof Decision.Readmitted back) {
            readmission.onReadmitted(back, effective);
        } else if (decision instanceof Decision.Arrived worker) {
            crews.onArrived(worker, effective);
        } else if (effective) {
            announce(decision);
        }
    }

    private void announce(Decision decision) {
        switch (decision) {
            case Decision.Completed _ -> welcomeAll();
            case Decision.Lost lost -> onLost(lost);
            case Decision.Left left -> onLeft(left.node(), left.clock());
            case Decision.Saved news ->
                nodes.tellAll(messages.snapshot(news.ordered(), news.committed(), news.previous()));
            case Decision.Failed end -> tellOf(end);
            case Decision.Vacated _ -> nodes.follow();
            case Decision.Readmitted _, Decision.Arrived _, Decision.Closed _ -> {} // there is nobody to be told
        }
    }

    private void welcomeAll() {
        nodes.admit(expected);
        nodes.follow();
        ClusterPlan plan = nodes.plan(record.completed().start());
        for (int node = 0; node < nodes.size(); node++) {
            nodes.welcome(node, plan);
        }
    }

    private void onLost(Decision.Lost lost) {
        if (DeathPolicy.WAIT == record.completed().onDeath()) {
            readmission.await(lost.node(), lost.clock(), lost.reason());
        } else {
            goOnWithout(lost.node(), lost.clock(), lost.failure(), lost.reason());
        }
    }

    /** Goes on without a worker, which is told too, lest it was only held up; without any, that is the end. */
    private void goOnWithout(int node, long reached, Failure failure, String reason) {
        boolean end = null != record.failure();
        String consequence = end ? "; no worker is left" : "; the cluster goes on without it";
        nodes.tellOfItsLoss(node, failure, reason + consequence);
        nodes.follow();
        if (end) {
            tellOf(record.failure());
            return;
        }
        snapshots.stopForLoss(network::report);
        String told = reason + "; it had reached clock " + reached + "; the cluster goes on without it in epoch "
                + nodes.epoch();
        network.onError(new ClusterException(failure, told));
        nodes.tellAll(messages.lost(node, reached));
        crews.onLost(node);
        endWhenWorkersAreGone();
    }

    private void onLeft(int node, long reached) {
        nodes.follow();
        snapshots.stop();
        liveness.unwatch(node);
        int length = messages.leave(node, reached);
        nodes.tellAll(length);
        if (leading.isOfSeveral() && !nodes.hears(nodes.get(node))) {
            nodes.get(node).tell(messages, length); // it waits for a word that this is safe
        }
        crews.onLeave(node);
        if (null != record.failure()) {
            tellOf(record.failure());
        }
        endWhenWorkersAreGone();
    }

    private void endWhenWorkersAreGone() {
        if (record.isOver() && !nodes.isOver()) {
            nodes.end(messages.leave(ControlIds.COORDINATOR, record.lastClock()));
        }
    }

    /** A node repeats its report until it hears that the cluster ends: it may have been told, and the frame lost. */
    void answer(int node) {
        if (failureTold && nodes.get(node).isTold()) {
            nodes.get(node).tell(messages, error(record.failure(), node));
        }
    }

    private void tellOf(Decision.Failed end) {
        if (!failureTold) {
            failureTold = true;
            for (int node = 0; node < nodes.size(); node++) {
                nodes.tell(node, error(end, node));
            }
        }
    }

    private int error(Decision.Failed end, int toNode) {
        return messages.error(end.failure(), nodes.get(toNode).nonce, end.subject(), end.message());
    }
}
