package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.membership.ClusterState.Proposal;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.NodeIds;
import io.sluice.consistency.terms.Role;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The coordinator's part in changes of the crew (decision 33) and of who owns slices (decision 37): gives places to
 * nodes that arrive while the job runs, and has all agree on a clock for each that joins, goes or is lost, one after
 * the other. Nodes report what they want and what they answer with each heartbeat, so a coordinator that takes over
 * knows it, too. Used by the coordinator's thread.
 */
final class CrewPolls {
    private final ClusterSettings settings;
    private final NodeIds ids;
    private final Members nodes;
    private final Roster roster;
    private final Entrance entrance;

    /** Nodes that wait for a place that will be free. */
    private final Returns queue;

    private final EventSink sink;

    CrewPolls(
            ClusterSettings settings, Members nodes, Roster roster, Entrance entrance, Returns queue, EventSink sink) {
        this.settings = settings;
        this.ids = settings.nodeIds();
        this.nodes = nodes;
        this.roster = roster;
        this.entrance = entrance;
        this.queue = queue;
        this.sink = sink;
    }

    /**
     * Gives a node an empty place, or one that will be empty, or tells it why not. It takes part when it has asked to,
     * once it is ready.
     */
    void arrive(Candidate candidate) {
        if (0 == nodes.size()) {
            queue.ask(candidate, candidate.askedNs); // it is being decided which nodes the cluster begins with
            return;
        }
        int node = placeFor(candidate, nodes.state()::isFree);
        if (nodes.state().isEnding()) {
            entrance.refuse(candidate, "the job is ending: a worker has done all its work");
        } else if (node >= 0 && !queue.isAdmitting()) {
            candidate.index = ids.index(node);
            queue.admitting(candidate);
            sink.append(new Event.Arrived(node, candidate.seat()));
        } else if (node >= 0 || placeFor(candidate, other -> nodes.get(other).isGoing()) >= 0) {
            queue.ask(candidate, candidate.askedNs);
        } else {
            entrance.refuse(candidate, roster.takenFor(candidate.role, candidate.index));
        }
    }

    private int placeFor(Candidate candidate, IntPredicate isFree) {
        int first = candidate.index < 0 ? 0 : candidate.index;
        int last = candidate.index < 0 ? ids.places(candidate.role) - 1 : candidate.index;
        for (int index = first; index <= last; index++) {
            int node = ids.of(candidate.role, index);
            if (isFree.test(node)) {
                return node;
            }
        }
        return -1;
    }

    /** A node has been given its place, or cannot have it, for the cluster has failed meanwhile. */
    void onArrived(Event.Arrived newcomer, boolean effective) {
        Candidate candidate = queue.admitted(newcomer.seat().nonce());
        if (null == candidate) {
            return; // decided by another coordinator than this
        }
        if (!effective) {
            entrance.refuse(candidate, "the job is ending");
            return;
        }
        Candidate before = nodes.replace(newcomer.place(), candidate);
        roster.replaceVacant(before, candidate);
        before.close();
        nodes.welcome(newcomer.place());
    }

    /** One cycle: decides what can be decided by now. Nothing else is being decided. */
    void work(long nowNs) {
        if (!settings.isElastic()) {
            return;
        }
        letIn(nowNs);
        if (nodes.state().isEnding()) {
            dismissNewcomers();
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

    /** Lets nodes in that wait for a place that is free by now, or tells them that another has it. */
    private void letIn(long nowNs) {
        if (queue.asking().isEmpty()) {
            return;
        }
        queue.forgetSilent(nowNs);
        for (Candidate candidate : List.copyOf(queue.asking())) {
            boolean isFree = placeFor(candidate, nodes.state()::isFree) >= 0;
            boolean waits =
                    !isFree && placeFor(candidate, other -> nodes.get(other).isGoing()) >= 0
                            || isFree && queue.isAdmitting();
            if (nodes.state().isEnding() || !waits) {
                queue.asking().remove(candidate);
                arrive(candidate);
            }
        }
    }

    /** Some have done their work: nodes that take no part yet would have nothing to do. */
    private void dismissNewcomers() {
        for (int node = 0; node < nodes.size(); node++) {
            if (nodes.get(node).isNewcomer()) {
                String sentence =
                        nodes.nameOf(node) + " came too late: the job is ending, a worker has done all its work";
                sink.append(new Event.Lost(
                        nodes.state().incarnation(node), nodes.get(node).clock, Failure.REFUSED, sentence));
            }
        }
    }

    private void takeNoteOfPassed() {
        for (int server = 0; server < ids.servers(); server++) {
            long passed = nodes.get(server).passed;
            boolean isNews = nodes.get(server).presence.isPresent()
                    && passed > nodes.state().member(server).passed();
            if (isNews && passed <= nodes.state().crews().lastClock()) {
                sink.append(new Event.Passed(nodes.state().incarnation(server), passed));
            }
        }
    }

    /** Proposes what a node wants, or that a dead worker takes no more part. */
    private void propose() {
        for (int node = 0; node < nodes.size(); node++) {
            Candidate each = nodes.get(node);
            boolean isDead = each.isLost() && nodes.state().takesPart(node);
            if (isDead && isPossible(node, false)) {
                sink.append(new Event.Proposed(nodes.state().incarnation(node), false));
                return;
            }
        }
        for (int node = 0; node < nodes.size(); node++) {
            Candidate each = nodes.get(node);
            boolean joins = CrewChanges.Wish.JOIN == each.wish;
            boolean wants = null != each.wish && each.presence == (joins ? Presence.NEWCOMER : Presence.HERE);
            if (wants && mayAsk(node, joins) && isPossible(node, joins)) {
                sink.append(new Event.Proposed(nodes.state().incarnation(node), joins));
                return;
            }
            if (CrewChanges.Wish.GO == each.wish && each.isNewcomer() && ids.isServer(node)) {
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
        List<Integer> workers = nodes.state().crews().last().workers();
        if (!ids.isServer(node)) {
            return joins || workers.size() > 1;
        }
        return !joins
                || workers.stream()
                        .noneMatch(
                                worker -> nodes.get(ids.of(Role.WORKER, worker)).isLost());
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
        long highest = nodes.state().crews().lastClock() + 1;
        for (int node = 0; node < nodes.size(); node++) {
            if (counts(node, open)) {
                highest = Math.max(highest, nodes.get(node).answer);
            }
        }
        return highest;
    }

    /** Whether a node's answer counts: newcomers have begun nothing, but the server that the proposal is about may. */
    private boolean counts(int node, Proposal open) {
        Candidate each = nodes.get(node);
        boolean isOne = ids.isServer(node)
                ? !each.isNewcomer() || node == open.node().node()
                : nodes.state().takesPart(node);
        return each.presence.isPresent() && isOne;
    }
}
