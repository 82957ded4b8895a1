package io.sluice.trials.chaos;

import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.SharedSnapshot;
import io.sluice.messaging.HostLoad;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.NanoClock;

/**
 * The state of each place of a job: empty, or its node is joining, a member or leaving, by the requests of the trial
 * and the notes of server 0. Without {@code --max-workers} all nodes are members all the time. Node numbers are those
 * of the cluster, servers first. Thread-safe.
 */
final class Places {
    /** Pattern of server 0's note about each membership change on which all nodes have agreed. */
    private static final Pattern AGREED =
            Pattern.compile("(worker|server) (\\d+) (takes part|no longer takes part|owns slices|owns no slices)"
                    + " from clock (\\d+) on, which is the first of (?:workers|servers) \\[([0-9, ]+)]");

    private static final Set<String> JOINED = Set.of("takes part", "owns slices");

    /** The state of a place. */
    private enum Stage {
        EMPTY,
        JOINING,
        MEMBER,
        LEAVING,
        /** The node was killed while it joined, and the coordinator has not lost it yet. */
        KILLED
    }

    private final Terms terms;
    private final NanoClock clock;
    private final Stage[] stages;
    private final long[] sinceNs;
    private final List<String> workerSets = new ArrayList<>();
    private Crossings crossings = Crossings.NONE;

    /**
     * Creates the places of a job that has not begun.
     *
     * @param terms give the number of places and those taken at the start
     * @param clock monotonic time
     */
    Places(Terms terms, NanoClock clock) {
        this.terms = terms;
        this.clock = clock;
        this.stages = new Stage[terms.serverPlaces() + terms.workerPlaces()];
        this.sinceNs = new long[stages.length];
        restart(SharedSnapshot.none(terms.settings()));
    }

    /**
     * Resets all places because all nodes are about to start: the nodes of the first worker set run from the start, and
     * the others join.
     */
    synchronized void restart(SharedSnapshot beginning) {
        for (int node = 0; node < stages.length; node++) {
            enter(node, Stage.EMPTY);
        }
        beginning.nodes().forEach(node -> stages[node] = Stage.JOINING);
        beginning.workerSets().nodes(terms.settings()).forEach(node -> stages[node] = Stage.MEMBER);
        workerSets.clear();
        beginning
                .workerSets()
                .all()
                .forEach(workerSet -> workerSets.add(workerSet.since() + ":"
                        + workerSet.workers().stream().map(String::valueOf).collect(Collectors.joining(","))));
    }

    private void enter(int node, Stage stage) {
        stages[node] = stage;
        sinceNs[node] = clock.nanoTime();
    }

    /** Chooses an empty place of a role by a disturbance's target; empty if all are taken. */
    synchronized OptionalInt vacant(Role role, Disturbance disturbance) {
        return chosen(role, disturbance, node -> stages[node] == Stage.EMPTY || isFreeAgain(node));
    }

    /** Chooses a node that may leave by a disturbance's target: never server 0 or the last worker. */
    synchronized OptionalInt dispensable(Role role, Disturbance disturbance) {
        int first = Role.SERVER == role ? 0 : terms.serverPlaces();
        long there = nodes(role).filter(this::isMember).count();
        boolean spared = Role.SERVER == role || there > 1;
        return spared
                ? chosen(role, disturbance, node -> isMember(node) && (Role.WORKER == role || node > first))
                : OptionalInt.empty();
    }

    private OptionalInt chosen(Role role, Disturbance disturbance, IntPredicate suits) {
        int[] all = nodes(role).filter(suits).toArray();
        return all.length == 0 ? OptionalInt.empty() : OptionalInt.of(all[disturbance.choose(all.length)]);
    }

    private IntStream nodes(Role role) {
        return Role.SERVER == role
                ? IntStream.range(0, terms.serverPlaces())
                : IntStream.range(terms.serverPlaces(), stages.length);
    }

    /** Whether the coordinator must have lost a killed node by now. */
    private boolean isFreeAgain(int node) {
        return stages[node] == Stage.KILLED
                && clock.nanoTime() - sinceNs[node] > TimeUnit.MILLISECONDS.toNanos(terms.limitMs(HostLoad.here()));
    }

    /** Records that a node is started in an empty place. */
    synchronized void joins(int node) {
        enter(node, Stage.JOINING);
    }

    /** Records that a node is requested to leave. */
    synchronized void leaves(int node) {
        enter(node, Stage.LEAVING);
    }

    /** Records that a joining node is killed. */
    synchronized void killed(int node) {
        enter(node, Stage.KILLED);
        crossings = crossings.plus(new Crossings(0, 0, 0, 0, 1, 0));
    }

    /** Records that a joining or leaving node has ended; a joining node was rejected. */
    synchronized void ended(int node) {
        if (isJoining(node)) {
            crossings = crossings.plus(new Crossings(0, 0, 0, 0, 0, 1));
        }
        enter(node, Stage.EMPTY);
    }

    /** Processes a note of server 0. */
    synchronized void accept(String sentence) {
        Matcher agreed = AGREED.matcher(sentence);
        if (!agreed.matches() || Long.parseLong(agreed.group(4)) > terms.clocks()) {
            return; // a change after the last clock never takes effect
        }
        boolean isServer = agreed.group(1).equals("server");
        boolean joins = JOINED.contains(agreed.group(3));
        int node = Integer.parseInt(agreed.group(2)) + (isServer ? 0 : terms.serverPlaces());
        if (!isServer) {
            workerSets.add(agreed.group(4) + ":" + agreed.group(5).replace(" ", ""));
        }
        if (joins) {
            enter(node, Stage.MEMBER);
        }
        crossings = crossings.plus(Crossings.of(isServer, joins));
    }

    /** Whether a node is a member and was not requested to leave. */
    synchronized boolean isMember(int node) {
        return stages[node] == Stage.MEMBER;
    }

    /** Whether a node is joining. */
    synchronized boolean isJoining(int node) {
        return stages[node] == Stage.JOINING;
    }

    /** Whether the death of a node disturbs the job; that of a joining node does not. */
    synchronized boolean isMissed(int node) {
        return stages[node] == Stage.MEMBER || stages[node] == Stage.LEAVING;
    }

    /** Nodes that have been joining or leaving for at least a time in milliseconds. */
    synchronized int[] joiningOrLeaving(long ms) {
        long nowNs = clock.nanoTime();
        return IntStream.range(0, stages.length)
                .filter(node -> stages[node] == Stage.JOINING || stages[node] == Stage.LEAVING)
                .filter(node -> nowNs - sinceNs[node] >= TimeUnit.MILLISECONDS.toNanos(ms))
                .toArray();
    }

    /** The worker sets by their first clock, since the last start of the job: {@code 1:0,1;57:0,1,2}. */
    synchronized String workerSets() {
        return String.join(";", workerSets);
    }

    /** The last agreed worker set. */
    synchronized List<Integer> lastWorkerSet() {
        String last = workerSets.getLast();
        return Arrays.stream(last.substring(last.indexOf(':') + 1).split(","))
                .map(Integer::valueOf)
                .toList();
    }

    /** The numbers of nodes that joined and left since the job was first started. */
    synchronized Crossings crossings() {
        return crossings;
    }
}
