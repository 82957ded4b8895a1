package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.membership.ClusterState.Proposal;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.NodeIds;
import io.sluice.consistency.terms.Role;
import java.util.List;

/**
 * Has all nodes agree on a clock for each node that is to take part, to go, or is lost, one after the other (decision
 * 10). Nodes report what they want and what they answer with each heartbeat, so a coordinator that takes over
 * knows it, too. Used by the coordinator's thread.
 */
final class WorkerSetAgreement {
    private final ClusterSettings settings;
    private final NodeIds ids;
    private final Members nodes;
    private final EventSink sink;

    WorkerSetAgreement(Members nodes, EventSink sink) {
        this.settings = nodes.settings;
        this.ids = settings.nodeIds();
        this.nodes = nodes;
        this.sink = sink;
    }

    /** One cycle: decides what can be decided by now. Nothing else is being decided. */
    void work() {
        if (!settings.isElastic() || nodes.state().isEnding()) {
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

    /** Proposes what a node wants, or that a dead worker takes no more part. */
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
            boolean wants = null != each.wish && nodes.presence(node) == (joins ? Presence.NEWCOMER : Presence.HERE);
            if (wants && mayAsk(node, joins) && isPossible(node, joins)) {
                sink.append(new Event.Proposed(nodes.state().incarnation(node), joins));
                return;
            }
            if (WorkerSetChanges.Wish.GO == each.wish
                    && Presence.NEWCOMER == nodes.presence(node)
                    && ids.isServer(node)) {
                sink.append(new Event.Released(nodes.state().incarnation(node)));
                return;
            }
        }
    }

    /** Server 0 stays, and trees do not change with servers. */
    private boolean mayAsk(int node, boolean joins) {
        return !ids.isServer(node) || !settings.growsTrees() && (joins || 0 != node);
    }

    /** The last worker cannot go before another has come; and a server that arrives does not know which are lost. */
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

    /** Whether a node's answer counts: newcomers have begun nothing, but the server that the proposal is about may. */
    private boolean counts(int node, Proposal open) {
        Presence presence = nodes.presence(node);
        boolean isOne = ids.isServer(node)
                ? Presence.NEWCOMER != presence || node == open.node().node()
                : nodes.state().takesPart(node);
        return presence.isPresent() && isOne;
    }
}
