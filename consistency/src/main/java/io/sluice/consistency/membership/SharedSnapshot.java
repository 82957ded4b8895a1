package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.ClusterSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The snapshot from which a supervisor with access to all folders restores an elastic job: the newest one of which all
 * nodes that took part hold their parts (decision 9).
 *
 * @param clock      clock of that snapshot; {@link SnapshotSchedule#NONE} if the coordinator has to find it, or there
 *                   is none
 * @param workerSets worker sets as of that clock
 * @param nodes      nodes to start: ids, ascending
 */
public record SharedSnapshot(long clock, WorkerSetHistory workerSets, List<Integer> nodes) {
    /** Copies the nodes. */
    public SharedSnapshot {
        nodes = List.copyOf(nodes);
    }

    /**
     * Creates the start of a new job.
     *
     * @param settings settings of the cluster
     * @return no snapshot, and the nodes of the start
     */
    public static SharedSnapshot none(ClusterSettings settings) {
        WorkerSetHistory first = WorkerSetHistory.of(settings.servers(), settings.workers());
        return new SharedSnapshot(SnapshotSchedule.NONE, first, ids(settings, first));
    }

    /**
     * Reads the folders. If no snapshot is shared, the result names the nodes of every snapshot of server 0, and the
     * coordinator reports why it cannot restore or begins anew.
     *
     * @param settings settings of the cluster
     * @param folder   folder of the job, with a folder for each node
     * @return the newest shared snapshot; {@link #none} in a job that is not elastic
     * @throws io.sluice.consistency.snapshot.SnapshotException if a folder cannot be read
     * @throws IllegalArgumentException if the snapshots cannot be of this cluster
     */
    public static SharedSnapshot newest(ClusterSettings settings, Path folder) {
        SharedSnapshot none = none(settings);
        if (!settings.isElastic()) {
            return none;
        }
        SnapshotFolder ofServer = SnapshotFolder.ofNode(folder, Role.SERVER.configName(), 0);
        Map<Integer, List<SnapshotFolder.Held>> held = new HashMap<>();
        TreeSet<Integer> tried = new TreeSet<>(none.nodes);
        for (SnapshotFolder.Held each : heldBy(0, settings, folder)) {
            WorkerSetHistory workerSets =
                    WorkerSetHistory.of(settings, ofServer.workerSetAt(each.clock()), each.clock());
            List<Integer> nodes = ids(settings, workerSets);
            tried.addAll(nodes);
            boolean shared = nodes.stream()
                    .allMatch(node -> held.computeIfAbsent(node, _ -> heldBy(node, settings, folder))
                            .contains(each));
            if (shared) {
                return new SharedSnapshot(each.clock(), workerSets, nodes);
            }
        }
        return new SharedSnapshot(SnapshotSchedule.NONE, none.workerSets, List.copyOf(tried));
    }

    /**
     * Names the snapshot of one clock. Does not check that all nodes hold their parts; the coordinator does.
     *
     * @param settings settings of the cluster
     * @param folder   folder of the job, with a folder for each node
     * @param clock    clock to restore
     * @return the clock, with the nodes that took part by the snapshots of server 0
     * @throws io.sluice.consistency.snapshot.SnapshotException if the folder of server 0 cannot be read
     * @throws IllegalArgumentException if the snapshots cannot be of this cluster
     */
    public static SharedSnapshot at(ClusterSettings settings, Path folder, long clock) {
        List<SnapshotFolder.Held> held = heldBy(0, settings, folder);
        List<Long> changes = held.isEmpty()
                ? List.of()
                : SnapshotFolder.ofNode(folder, Role.SERVER.configName(), 0)
                        .workerSetAt(held.getFirst().clock());
        WorkerSetHistory workerSets = WorkerSetHistory.of(settings, changes, clock);
        return new SharedSnapshot(clock, workerSets, ids(settings, workerSets));
    }

    private static List<Integer> ids(ClusterSettings settings, WorkerSetHistory workerSets) {
        return workerSets.nodes(settings).sorted().boxed().toList();
    }

    private static List<SnapshotFolder.Held> heldBy(int node, ClusterSettings settings, Path folder) {
        NodeIds ids = NodeIds.of(settings);
        return SnapshotFolder.ofNode(folder, ids.role(node).configName(), ids.index(node))
                .held(_ -> {}); // that node reports damage
    }

    /**
     * The form of this snapshot on a command line.
     *
     * @return the value of {@code --restore}, which is empty for the newest that the coordinator finds
     */
    public String option() {
        return SnapshotSchedule.NONE == clock ? "" : String.valueOf(clock);
    }
}
