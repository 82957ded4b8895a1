package io.sluice.trials.control;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.consistency.snapshot.SnapshotFolder.Held;
import io.sluice.consistency.terms.WorkerSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The training of all nodes, reduced to the events that the control plane handles: rounds that begin and end, pushes
 * that arrive, and snapshots on disks that survive their process. It has the state of all nodes, so it also checks that
 * no round has two worker sets or two sets of slice owners.
 */
final class Training {
    private final int firstServers;
    private final Map<Long, List<Begin>> begins = new TreeMap<>();
    private final Map<Integer, Long> pushed = new HashMap<>();
    private final Map<Integer, Long> finalised = new HashMap<>();
    private final Map<Long, Long> delivered = new HashMap<>();
    private final Map<String, TreeSet<Long>> disks = new HashMap<>();
    private long run;

    /** A node, and its view of a round when it began the round. */
    private record Begin(SimulatedNode node, List<Integer> workers, List<Integer> owners) {}

    Training(int firstServers) {
        this.firstServers = firstServers;
    }

    /** Records that a node begins a round. */
    void begin(SimulatedNode node, long round, WorkerSetHistory history) {
        begins.computeIfAbsent(round, _ -> new ArrayList<>())
                .add(new Begin(node, workerSet(history, round), owners(history, round)));
    }

    /**
     * Compares the views of nodes when they began a round. A node that failed, or that the others lost, may have begun
     * a round with an older view: the others do not use its part.
     *
     * @return the first round with two worker sets or two sets of slice owners; null if there is none
     */
    String judge() {
        for (Map.Entry<Long, List<Begin>> round : begins.entrySet()) {
            List<Begin> counted = round.getValue().stream()
                    .filter(begin -> null == begin.node.reason)
                    .toList();
            for (Begin each : counted) {
                Begin first = counted.getFirst();
                if (!each.workers.equals(first.workers) || !each.owners.equals(first.owners)) {
                    return each.node.name() + " began clock " + round.getKey() + " with workers " + each.workers
                            + " and slices on servers " + each.owners + ", " + first.node.name() + " with workers "
                            + first.workers + " and slices on servers " + first.owners;
                }
            }
        }
        return null;
    }

    /** Describes which member has no part of a committed snapshot; null if none is missing. */
    String judgeSnapshot(ClusterState state) {
        long clock = state.saved().committed();
        if (!state.isComplete() || clock < 0) {
            return null;
        }
        Stream<String> servers = owners(state.workerSets(), clock + 1).stream().map(server -> "server-" + server);
        Stream<String> workers =
                workerSet(state.workerSets(), clock + 1).stream().map(worker -> "worker-" + worker);
        return Stream.concat(servers, workers)
                .filter(place -> !disks.getOrDefault(place, new TreeSet<>()).contains(clock))
                .findFirst()
                .map(place -> "the snapshot of clock " + clock + " is committed, and " + place + " holds none of it")
                .orElse(null);
    }

    static List<Integer> workerSet(WorkerSetHistory history, long round) {
        WorkerSet workerSet = history.at(round);
        return workerSet.workers();
    }

    /** The servers that own slices in a round. */
    List<Integer> owners(WorkerSetHistory history, long round) {
        List<Integer> owning = new ArrayList<>();
        for (int server = 0; server < firstServers; server++) {
            owning.add(server);
        }
        for (WorkerSetChange change : history.serverChanges()) {
            if (change.clock() <= round) {
                if (change.joins()) {
                    owning.add(change.index());
                } else {
                    owning.remove(Integer.valueOf(change.index()));
                }
            }
        }
        owning.sort(null);
        return owning;
    }

    /** Records that a worker has completed its push of a round. */
    void push(int worker, long round) {
        pushed.merge(worker, round, Math::max);
    }

    boolean hasPushed(int worker, long round) {
        return pushed.getOrDefault(worker, 0L) >= round;
    }

    /** Records that a server has finalised a version. */
    void finalise(int server, long version) {
        finalised.merge(server, version, Math::max);
    }

    /** Records that a server broadcasts a version to a worker. */
    void deliver(int server, int worker, long version) {
        delivered.merge((long) server << Integer.SIZE | worker, version, Math::max);
    }

    /** The first owner whose version a worker has not received yet, or -1. */
    int missing(WorkerSetHistory history, long version, int worker) {
        for (int server : owners(history, version)) {
            if (version > delivered.getOrDefault((long) server << Integer.SIZE | worker, 0L)) {
                return server;
            }
        }
        return -1;
    }

    /** The first owner that has not finalised a version yet, so that a newcomer cannot pull it; or -1. */
    int missing(WorkerSetHistory history, long version) {
        for (int server : owners(history, version)) {
            if (version > finalised.getOrDefault(server, 0L)) {
                return server;
            }
        }
        return -1;
    }

    /** A place's snapshots, newest first. */
    List<Held> held(String place) {
        return disks.getOrDefault(place, new TreeSet<>()).descendingSet().stream()
                .map(clock -> new Held(run, clock))
                .toList();
    }

    void save(String place, long ofRun, long clock) {
        run = ofRun;
        disks.computeIfAbsent(place, _ -> new TreeSet<>()).add(clock);
    }

    /** Deletes snapshots that are newer than the one from which a node continues: they belong to an abandoned run. */
    void keepUpTo(String place, long clock) {
        disks.getOrDefault(place, new TreeSet<>()).removeIf(at -> at > clock);
    }

    /** Keeps the two newest committed snapshots and all newer ones. */
    void prune(String place, long previous) {
        disks.getOrDefault(place, new TreeSet<>()).removeIf(at -> at < previous);
    }
}
