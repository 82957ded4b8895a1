package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.messaging.Liveness;

/**
 * What a coordinator does about an event, besides sending it to all nodes: it welcomes those that join, tells those
 * that are lost, and reports. Used by the coordinator's thread.
 */
final class Announcements {
    private final EventLog events;
    private final Members nodes;
    private final Liveness liveness;
    private final SnapshotOrders snapshots;
    private final Readmission readmission;
    private final CrewPolls crews;
    private final ControlNetwork network;

    /** Nodes that are let in once the cluster is complete, in order of id. */
    private Candidate[] expected = new Candidate[0];

    Announcements(
            EventLog events,
            Members nodes,
            Liveness liveness,
            SnapshotOrders snapshots,
            Readmission readmission,
            CrewPolls crews,
            ControlNetwork network) {
        this.events = events;
        this.nodes = nodes;
        this.liveness = liveness;
        this.snapshots = snapshots;
        this.readmission = readmission;
        this.crews = crews;
        this.network = network;
    }

    /** These will be the nodes, once that is decided. */
    void expect(Candidate[] all) {
        expected = all;
    }

    /**
     * Takes in an event.
     *
     * @param event that has happened, if it fits the state
     */
    void take(Event event) {
        ClusterState before = events.state();
        boolean effective = events.apply(event);
        if (effective && event instanceof Event.Completed) {
            nodes.admit(expected);
        }
        if (effective) {
            nodes.follow();
        }
        switch (event) {
            case Event.Rejoined back -> readmission.onReadmitted(back, effective);
            case Event.Arrived newcomer -> crews.onArrived(newcomer, effective);
            case Event.Completed _ when effective -> welcomeAll();
            case Event.Lost lost when effective -> onLost(lost);
            case Event.Left left when effective -> onLeft(left.node().node());
            case Event.Agreed _ when effective -> report(events.state().crews());
            case Event _ -> {} // nodes hear of it, and nothing else follows from it
        }
        if (effective) {
            reportReleased(before);
        }
    }

    private void welcomeAll() {
        for (int node = 0; node < nodes.size(); node++) {
            nodes.welcome(node);
        }
    }

    private void onLost(Event.Lost lost) {
        int node = lost.node().node();
        liveness.unwatch(node);
        String reached = "; it had reached clock " + lost.clock();
        if (DeathPolicy.WAIT == events.state().job().onDeath()) {
            readmission.await(node, lost.reason());
            network.report(lost.reason() + reached + "; the cluster waits for it");
            return;
        }
        boolean end = null != events.state().failure();
        String consequence = end ? "; no worker is left" : "; the cluster goes on without it";
        nodes.tellOfItsLoss(node, lost.failure(), lost.reason() + consequence);
        if (end) {
            return;
        }
        snapshots.stopForLoss(network::report);
        network.onError(new ClusterException(
                lost.failure(), lost.reason() + reached + consequence + " in epoch " + nodes.epoch()));
    }

    private void onLeft(int node) {
        snapshots.stop();
        liveness.unwatch(node);
    }

    private void report(CrewHistory crews) {
        CrewChange change = crews.changes().getLast();
        String since = " from clock " + change.clock() + " on, which is the first of ";
        network.report(
                change.isOfServer()
                        ? "server " + change.index() + (change.joins() ? " owns slices" : " owns no slices") + since
                                + "servers " + crews.owners()
                        : "worker " + change.index() + (change.joins() ? " takes part" : " takes no more part") + since
                                + "workers " + crews.last().workers());
    }

    private void reportReleased(ClusterState before) {
        for (int node = 0; node < before.members().size(); node++) {
            Presence was = before.member(node).presence();
            if (Presence.RELEASED == events.state().member(node).presence() && Presence.RELEASED != was) {
                network.report(nodes.nameOf(node)
                        + (Presence.GOING == was
                                ? " may leave: others have all that it had, and are past its last clock"
                                : " may leave: it asked to go before it had any slices"));
            }
        }
    }
}
