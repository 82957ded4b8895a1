package io.sluice.trials.chaos;

import io.sluice.consistency.membership.SharedSnapshot;
import io.sluice.consistency.terms.Role;
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
 * Who is in the places of a job: on its way in, there, or on its way out, by what was asked of it and what server 0
 * then tells. Where nobody comes or goes all are there all the time. Nodes are counted as the cluster does it, the
 * places of servers first. Safe from any thread.
 */
final class Places {
    /** What server 0 says of each change that all nodes have agreed on. */
    private static final Pattern AGREED =
            Pattern.compile("(worker|server) (\\d+) (takes part|takes no more part|owns slices|owns no slices)"
                    + " from clock (\\d+) on, which is the first of (?:workers|servers) \\[([0-9, ]+)]");

    private static final Set<String> COMES_IN = Set.of("takes part", "owns slices");

    /** Of a place. */
    private enum Stage {
        EMPTY,
        COMING,
        THERE,
        GOING,
        /** Of one that was killed on its way in, and is not missed yet. */
        KEPT
    }

    private final Terms terms;
    private final NanoClock clock;
    private final Stage[] stages;
    private final long[] sinceNs;
    private final List<String> crews = new ArrayList<>();
    private Crossings crossings = Crossings.NONE;

    /**
     * Of a job that has not begun.
     *
     * @param terms say how many there are, and which are taken at the start
     * @param clock monotonic time
     */
    Places(Terms terms, NanoClock clock) {
        this.terms = terms;
        this.clock = clock;
        this.stages = new Stage[terms.serverPlaces() + terms.workerPlaces()];
        this.sinceNs = new long[stages.length];
        restart(SharedSnapshot.none(terms.settings()));
    }

    /** All nodes are about to be started: those with which the job begins are there, and the others join. */
    synchronized void restart(SharedSnapshot beginning) {
        for (int node = 0; node < stages.length; node++) {
            enter(node, Stage.EMPTY);
        }
        beginning.nodes().forEach(node -> stages[node] = Stage.COMING);
        beginning.workerSets().nodes(terms.settings()).forEach(node -> stages[node] = Stage.THERE);
        crews.clear();
        beginning
                .workerSets()
                .all()
                .forEach(crew -> crews.add(crew.since() + ":"
                        + crew.workers().stream().map(String::valueOf).collect(Collectors.joining(","))));
    }

    private void enter(int node, Stage stage) {
        stages[node] = stage;
        sinceNs[node] = clock.nanoTime();
    }

    /** An empty place of a role, by a disturbance; none if all are taken. */
    synchronized OptionalInt vacant(Role role, Disturbance disturbance) {
        return chosen(role, disturbance, node -> stages[node] == Stage.EMPTY || isFreeAgain(node));
    }

    /** A node of a role that the job can do without, by a disturbance: not server 0, nor the last worker. */
    synchronized OptionalInt dispensable(Role role, Disturbance disturbance) {
        int first = Role.SERVER == role ? 0 : terms.serverPlaces();
        long there = nodes(role).filter(this::isThere).count();
        boolean spared = Role.SERVER == role || there > 1;
        return spared
                ? chosen(role, disturbance, node -> isThere(node) && (Role.WORKER == role || node > first))
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

    /** After so long the coordinator has missed it. */
    private boolean isFreeAgain(int node) {
        return stages[node] == Stage.KEPT
                && clock.nanoTime() - sinceNs[node] > TimeUnit.MILLISECONDS.toNanos(terms.limitMs(HostLoad.here()));
    }

    /** A node is started in an empty place. */
    synchronized void comes(int node) {
        enter(node, Stage.COMING);
    }

    /** A node is asked to go. */
    synchronized void goes(int node) {
        enter(node, Stage.GOING);
    }

    /** A node on its way in is killed. */
    synchronized void killed(int node) {
        enter(node, Stage.KEPT);
        crossings = crossings.plus(new Crossings(0, 0, 0, 0, 1, 0));
    }

    /** A node that was on its way in, or out, has ended; whoever was on its way in was turned away. */
    synchronized void ended(int node) {
        if (isComing(node)) {
            crossings = crossings.plus(new Crossings(0, 0, 0, 0, 0, 1));
        }
        enter(node, Stage.EMPTY);
    }

    /** Takes in a sentence of server 0. */
    synchronized void accept(String sentence) {
        Matcher agreed = AGREED.matcher(sentence);
        if (!agreed.matches() || Long.parseLong(agreed.group(4)) > terms.clocks()) {
            return; // who was to come, or go, behind the end does neither: the job is at its end
        }
        boolean isServer = agreed.group(1).equals("server");
        boolean comes = COMES_IN.contains(agreed.group(3));
        int node = Integer.parseInt(agreed.group(2)) + (isServer ? 0 : terms.serverPlaces());
        if (!isServer) {
            crews.add(agreed.group(4) + ":" + agreed.group(5).replace(" ", ""));
        }
        if (comes) {
            enter(node, Stage.THERE);
        }
        crossings = crossings.plus(Crossings.of(isServer, comes));
    }

    /** Whether a node takes part, and was not asked to go. */
    synchronized boolean isThere(int node) {
        return stages[node] == Stage.THERE;
    }

    /** Whether a node is on its way in. */
    synchronized boolean isComing(int node) {
        return stages[node] == Stage.COMING;
    }

    /** Whether the job misses a node that dies: not one that is on its way in. */
    synchronized boolean isMissed(int node) {
        return stages[node] == Stage.THERE || stages[node] == Stage.GOING;
    }

    /** Nodes that are on their way, in or out, for longer than a time in milliseconds. */
    synchronized int[] underWay(long ms) {
        long nowNs = clock.nanoTime();
        return IntStream.range(0, stages.length)
                .filter(node -> stages[node] == Stage.COMING || stages[node] == Stage.GOING)
                .filter(node -> nowNs - sinceNs[node] >= TimeUnit.MILLISECONDS.toNanos(ms))
                .toArray();
    }

    /** Who took part from which clock on, since the job was started last: {@code 1:0,1;57:0,1,2}. */
    synchronized String crews() {
        return String.join(";", crews);
    }

    /** The workers that take part to the end, as far as is agreed. */
    synchronized List<Integer> lastCrew() {
        String last = crews.getLast();
        return Arrays.stream(last.substring(last.indexOf(':') + 1).split(","))
                .map(Integer::valueOf)
                .toList();
    }

    /** Who came and went, in all lives of the job. */
    synchronized Crossings crossings() {
        return crossings;
    }
}
