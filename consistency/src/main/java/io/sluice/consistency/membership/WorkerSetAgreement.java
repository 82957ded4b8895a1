package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterState.Proposal;
import io.sluice.consistency.terms.ClusterSettings;
import java.util.List;

/**
 * Makes all nodes agree on a clock for each node that joins, leaves or is lost, one after the other (decision 7). Nodes
 * repeat their requests and answers with each heartbeat, so a new leader also receives them. Used by the coordinator's
 * thread.
 */
final class WorkerSetAgreement {
    private final ClusterSettings settings;
    private final NodeIds ids;
    private final Members nodes;
    private final EventSink sink;

    WorkerSetAgreement(Members nodes, EventSink sink) {
        this.settings = nodes.settings;
        this.ids = NodeIds.of(settings);
        this.nodes = nodes;
        this.sink = sink;
    }

    /** Runs one cycle: makes the next decision, unless another one is under way or the job is ending. */
    void work() {
        if (nodes.state().isEnding()) {
            return;
        }
        takeNoteOfPassed();
        Proposal open = nodes.state().proposal();
        if (null == open) {
            propose();
        } else if (isAnsweredByAll(open)) {
            sink.append(new Event.Agreed(open.number(), highestAnswer(open)));
        }
    }

    private void takeNoteOfPassed() {
        for (int server = 0; server < ids.servers(); server++) {
            long passed = nodes.get(server).passed;
            boolean isNews = nodes.presence(server).isPresent()
                    && passed > nodes.state().member(server).passed();
            if (isNews && passed <= nodes.state().workerSets().lastClock()) {
                sink.append(new Event.Passed(nodes.state().incarnation(server), passed));
            }
        }
    }

    /** Proposes the change that a node requests, or the removal of a dead worker. */
    private void propose() {
        for (int node = 0; node < nodes.size(); node++) {
            boolean isDead =
                    Presence.LOST == nodes.presence(node) && nodes.state().takesPart(node);
            if (isDead && isPossible(node, false)) {
                sink.append(new Event.Proposed(nodes.state().incarnation(node), false));
                return;
            }
        }
        for (int node = 0; node < nodes.size(); node++) {
            NodeProxy each = nodes.get(node);
            boolean joins = WorkerSetChanges.Wish.JOIN == each.wish;
            boolean wants = joins && Presence.NEWCOMER == nodes.presence(node)
                    || WorkerSetChanges.Wish.LEAVE == each.wish && Presence.ACTIVE == nodes.presence(node);
            if (wants && mayAsk(node, joins) && isPossible(node, joins)) {
                sink.append(new Event.Proposed(nodes.state().incarnation(node), joins));
                return;
            }
            if (WorkerSetChanges.Wish.LEAVE == each.wish
                    && Presence.NEWCOMER == nodes.presence(node)
                    && ids.isServer(node)) {
                sink.append(new Event.Released(nodes.state().incarnation(node)));
                return;
            }
        }
    }

    /** Whether a node may request a change. Server 0 stays, and trees do not change with servers. */
    private boolean mayAsk(int node, boolean joins) {
        return !ids.isServer(node) || !settings.growsTrees() && (joins || 0 != node);
    }

    /**
     * Whether a change is possible now. The last worker cannot leave before another has joined. A server that joins
     * has no record of which workers are lost.
     */
    private boolean isPossible(int node, boolean joins) {
        List<Integer> workers = nodes.state().workerSets().last().workers();
        if (!ids.isServer(node)) {
            return joins || workers.size() > 1;
        }
        return !joins
                || workers.stream().noneMatch(worker -> Presence.LOST == nodes.presence(ids.of(Role.WORKER, worker)));
    }

    private boolean isAnsweredByAll(Proposal open) {
        for (int node = 0; node < nodes.size(); node++) {
            if (counts(node, open) && nodes.get(node).proposal != open.number()) {
                return false;
            }
        }
        return true;
    }

    private long highestAnswer(Proposal open) {
        long highest = nodes.state().workerSets().lastClock() + 1;
        for (int node = 0; node < nodes.size(); node++) {
            if (counts(node, open)) {
                highest = Math.max(highest, nodes.get(node).answer);
            }
        }
        return highest;
    }

    /** Whether a node's answer counts. Newcomers have begun no round, except perhaps the server of the proposal. */
    private boolean counts(int node, Proposal open) {
        Presence presence = nodes.presence(node);
        boolean isOne = ids.isServer(node)
                ? Presence.NEWCOMER != presence || node == open.node().node()
                : nodes.state().takesPart(node);
        return presence.isPresent() && isOne;
    }
}
