package io.sluice.consistency.membership;

import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.ChangeDecoder;
import io.sluice.tree.Place;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/**
 * The coordinator's part in changes of the crew (decision 33) and of who owns slices (decision 37): gives places to
 * nodes that come while the job runs, and has all agree on a clock for each that comes, goes or is lost, one after the
 * other. Used by the coordinator's thread.
 */
final class CrewPolls {
    private final ClusterSettings settings;
    private final NodeIds ids;
    private final Members nodes;
    private final Roster roster;
    private final Entrance entrance;
    private final ControlMessages messages;
    private final ControlNetwork network;

    /** Those who wait for a place that will be free. */
    private final Returns queue;

    private final Deque<Wish> wishes = new ArrayDeque<>();
    private final DecisionLog log;
    private CrewHistory history;

    /** Who is let in as soon as that is decided. */
    private Candidate arriving;

    /** What is polled about, or null. */
    private Wish open;

    private int number;
    private final BitSet awaited = new BitSet();
    private long highest;

    private boolean toldOfRefusal;

    private final GoingNodes going;

    /** Whether a worker has come to the end of its work: from now on nothing changes. */
    private boolean isEnding;

    /** That a node takes part, or does not. */
    private record Wish(int node, boolean joins) {}

    CrewPolls(
            ClusterSettings settings,
            Members nodes,
            Roster roster,
            Entrance entrance,
            Returns queue,
            ControlMessages messages,
            ControlNetwork network,
            DecisionLog log) {
        this.log = log;
        this.settings = settings;
        this.ids = settings.nodeIds();
        this.nodes = nodes;
        this.roster = roster;
        this.entrance = entrance;
        this.queue = queue;
        this.messages = messages;
        this.network = network;
        this.history = CrewHistory.of(settings.servers(), settings.workers());
        this.going = new GoingNodes(settings, nodes, messages, network, log, () -> history);
    }

    /**
     * Gives a node an empty place, or one that will be empty, or tells it why not. It takes part when it has asked to,
     * once it is ready.
     */
    void arrive(Candidate candidate) {
        int node = placeFor(candidate, Candidate::isVacant);
        if (isEnding) {
            entrance.refuse(candidate, "the job is ending: a worker has done all its work");
        } else if (node >= 0) {
            admit(node, candidate);
        } else if (placeFor(candidate, place -> place.isGoing) >= 0) {
            queue.ask(candidate, candidate.askedNs);
        } else {
            entrance.refuse(candidate, roster.takenFor(candidate.role, candidate.index));
        }
    }

    private int placeFor(Candidate candidate, Predicate<Candidate> isFree) {
        int first = candidate.index < 0 ? 0 : candidate.index;
        int last = candidate.index < 0 ? ids.places(candidate.role) - 1 : candidate.index;
        for (int index = first; index <= last; index++) {
            int node = ids.of(candidate.role, index);
            if (isFree.test(nodes.get(node))) {
                return node;
            }
        }
        return -1;
    }

    private void admit(int node, Candidate candidate) {
        candidate.index = ids.index(node);
        candidate.isArriving = ids.isServer(node);
        arriving = candidate;
        log.append(new Decision.Arrived(node, candidate.seat()));
    }

    /** A node has been given its place, or cannot have it, for the cluster has failed meanwhile. */
    void onArrived(Decision.Arrived newcomer, boolean effective) {
        Candidate candidate = arriving;
        arriving = null;
        if (!effective) {
            entrance.refuse(candidate, "the job is ending");
            return;
        }
        int node = newcomer.node();
        going.arrived(node);
        Candidate before = nodes.replace(node, candidate, candidate.host);
        roster.replaceVacant(before, candidate);
        before.close();
        nodes.welcome(node, nodes.plan(StartPoint.FRESH));
        for (CrewChange change : history.changes()) {
            nodes.tell(node, agreed(change));
        }
        for (int server = 0; server < ids.servers(); server++) {
            if (!nodes.get(server).isHere()) {
                nodes.tell(node, messages.leave(server, nodes.get(server).leftAt));
            }
        }
        int length = messages.arrival(node, candidate.nonce, candidate.endpoint, candidate.host);
        for (int other = 0; other < nodes.size(); other++) {
            if (other != node) {
                nodes.tell(other, length);
            }
        }
    }

    private int agreed(CrewChange change) {
        int node = ids.of(change.role(), change.index());
        return messages.change(ChangeStage.AGREED, 0, node, change.joins(), change.clock(), change.place());
    }

    /** Takes what a node says of a change. What makes no sense is counted, and changes nothing. */
    void onChange(int node, ChangeDecoder change) {
        ChangeStage stage = ChangeStage.coded(change.stage());
        boolean known = settings.isElastic() && change.joins() <= 1 && change.node() == node;
        boolean mayBeAdded = 0 == change.joins() || nodes.get(node).isArriving;
        boolean mayAsk = !ids.isServer(node) || 0 != node && mayBeAdded && !settings.growsTrees();
        if (known && ChangeStage.ASKED == stage && mayAsk) {
            ask(new Wish(node, 1 == change.joins()));
        } else if (known && ChangeStage.ANSWERED == stage && CrewHistory.isClock(change.clock())) {
            onAnswer(node, change.number(), change.clock());
        } else if (known && ChangeStage.PASSED == stage && ids.isServer(node) && isAgreed(change.clock())) {
            going.onPassed(node, change.clock());
        } else {
            entrance.reject(Rejection.UNEXPECTED);
            if (!toldOfRefusal) {
                toldOfRefusal = true;
                network.report(CrewNews.refusal(change, history));
            }
        }
    }

    private boolean isAgreed(long clock) {
        return CrewHistory.isClock(clock) && clock <= history.lastClock();
    }

    /** It may be to a poll that was called off. */
    private void onAnswer(int node, int toNumber, long clock) {
        if (toNumber == number && awaited.get(node)) {
            awaited.clear(node);
            highest = Math.max(highest, clock);
        }
    }

    private void ask(Wish wish) {
        if (isEnding) {
            if (wish.joins) {
                refuse(wish.node);
            }
        } else if (nodes.get(wish.node).isArriving && !wish.joins) {
            forget(wish.node);
            going.releaseUnused(wish.node);
        } else if (wish.joins && going.isReleased(wish.node)) {
            network.report(nodes.nameOf(wish.node) + " asked to take part when it was on its way out");
        } else if (wish.joins != takesPart(wish.node) && !wish.equals(open) && !wishes.contains(wish)) {
            wishes.add(wish);
        }
    }

    private void refuse(int node) {
        String sentence = nodes.nameOf(node) + " came too late: the job is ending, a worker has done all its work";
        nodes.tell(node, messages.error(Failure.REFUSED, nodes.get(node).nonce, node, sentence));
    }

    /** Whether a node that leaves has done its work; one that takes no part is one that was to go. */
    boolean isDone(int node) {
        return !settings.isElastic() || takesPart(node);
    }

    /** Whether nothing is lost with a node that leaves: a server that is drained has to wait until it is told so. */
    boolean mayLeave(int node) {
        return going.mayLeave(node);
    }

    /** A node has left: because it was to go, or because it is done, or has thought better of it. */
    void onLeave(int node) {
        awaited.clear(node);
        if (!settings.isElastic()) {
            return;
        }
        if (!takesPart(node)) {
            vacate(node);
        } else if (!ids.isServer(node)) {
            end();
            return;
        }
        going.follow(); // a server is not asked any more what it has passed, nor a worker what it has read
    }

    /** Some have done their work: who has not begun to take part would have nothing to do. */
    private void end() {
        isEnding = true;
        if (null != open && open.joins) {
            refuse(open.node);
        }
        wishes.stream().filter(Wish::joins).forEach(wish -> refuse(wish.node));
        for (int server = 0; server < ids.servers(); server++) {
            boolean isWaiting = nodes.get(server).isArriving && !going.isReleased(server);
            if (isWaiting && !hasAsked(server)) { // it waits for workers to tell it of the tables
                refuse(server);
            }
        }
        callOff();
        wishes.clear();
    }

    private boolean hasAsked(int node) {
        return null != open && open.node == node || wishes.stream().anyMatch(wish -> wish.node == node);
    }

    /** A node is lost: if it is a worker that takes part, others are to take over what it would have done. */
    void onLost(int node) {
        awaited.clear(node);
        if (!settings.isElastic()) {
            return;
        }
        wishes.removeIf(wish -> wish.node == node);
        if (!takesPart(node)) {
            vacate(node);
            going.follow();
        } else {
            nodes.get(node).isGoing = true;
            ask(new Wish(node, false));
        }
    }

    private void vacate(int node) {
        forget(node);
        going.vacate(node);
    }

    /** Nothing is wanted of a node any more. */
    private void forget(int node) {
        wishes.removeIf(wish -> wish.node == node);
        if (null != open && open.node == node) {
            callOff();
        }
    }

    private void callOff() {
        if (null != open) {
            nodes.tellAll(messages.change(ChangeStage.CALLED_OFF, number, open.node, open.joins, 0));
            open = null;
        }
    }

    /** Whether a node is one of the crew agreed on last, or a server that owns slices. */
    private boolean takesPart(int node) {
        return ids.isServer(node)
                ? history.owns(node)
                : history.last().workers().contains(ids.index(node));
    }

    /** Begins a poll, or ends one that all have answered; lets in who waits for a place that is free by now. */
    void work(long nowNs) {
        if (settings.isElastic() && !queue.asking().isEmpty()) {
            queue.forgetSilent(nowNs);
            for (Candidate candidate : List.copyOf(queue.asking())) {
                boolean isFree = placeFor(candidate, Candidate::isVacant) >= 0;
                if (isEnding || isFree || placeFor(candidate, place -> place.isGoing) < 0) {
                    queue.asking().remove(candidate);
                    arrive(candidate); // or it is told that its place was given to another
                }
            }
        }
        if (null == open && !wishes.isEmpty()) {
            poll();
        } else if (null != open && awaited.isEmpty()) {
            agree();
        }
    }

    private void poll() {
        Wish next = wishes.stream().filter(this::isPossible).findFirst().orElse(null);
        if (null == next) {
            return; // what it takes for another has to be agreed on before
        }
        wishes.remove(next);
        open = next;
        number++;
        highest = history.lastClock() + 1;
        awaited.clear();
        for (int node = 0; node < nodes.size(); node++) {
            boolean needed = !nodes.get(node).isArriving || node == open.node;
            boolean counts = ids.isServer(node) ? needed : takesPart(node);
            if (counts && nodes.hears(nodes.get(node))) {
                awaited.set(node);
            }
        }
        nodes.tellAll(messages.change(ChangeStage.POLLED, number, open.node, open.joins, 0));
    }

    /** The last worker cannot go before another has come; and a server that comes has not been told who is lost. */
    private boolean isPossible(Wish wish) {
        if (!ids.isServer(wish.node)) {
            return wish.joins || history.last().size() > 1;
        }
        return !wish.joins
                || history.last().workers().stream()
                        .noneMatch(
                                worker -> nodes.get(ids.of(Role.WORKER, worker)).isLost());
    }

    private void agree() {
        Place place = nodes.places().get(open.node);
        CrewChange change = new CrewChange(highest, ids.role(open.node), ids.index(open.node), open.joins, place);
        if (open.joins) {
            going.joins(open.node, history.lastClock());
        }
        history = history.with(change);
        Candidate candidate = nodes.get(open.node);
        candidate.isArriving = false;
        candidate.isGoing |= ids.isServer(open.node) && !open.joins; // who asks for its place waits
        nodes.tellAll(agreed(change));
        if (!change.joins() && candidate.isLost()) {
            going.vacate(open.node);
        }
        open = null;
        network.report(inWords(change));
        going.follow();
    }

    private String inWords(CrewChange change) {
        String since = " from clock " + change.clock() + " on, which is the first of ";
        return change.isOfServer()
                ? "server " + change.index() + (change.joins() ? " owns slices" : " owns no slices") + since
                        + "servers " + history.owners()
                : "worker " + change.index() + (change.joins() ? " takes part" : " takes no more part") + since
                        + "workers " + history.last().workers();
    }
}
