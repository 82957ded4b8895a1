package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.NodeIds;
import io.sluice.consistency.terms.Role;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The nodes that a supervisor starts for a job to go on from its newest snapshot, as the snapshots tell (decision 49).
 * Both crews are those of the start where none is there, and where the nodes are the same all the time.
 *
 * @param newest as of server 0's newest snapshot: the coordinator waits for these nodes first
 * @param common as of the newest clock of which all nodes that took part hold a snapshot: the job goes back to it
 */
public record RestorableCrews(CrewHistory newest, CrewHistory common) {
    /**
     * Reads the folders of all nodes, which have to be on this host.
     *
     * @param settings of the cluster
     * @param folder   of the job, with one for each node
     * @return both crews
     * @throws io.sluice.consistency.snapshot.SnapshotException if a folder cannot be read
     * @throws IllegalArgumentException if the snapshots cannot be of this cluster
     */
    public static RestorableCrews of(ClusterSettings settings, Path folder) {
        CrewHistory first = CrewHistory.of(settings.servers(), settings.workers());
        if (!settings.isElastic()) {
            return new RestorableCrews(first, first);
        }
        SnapshotFolder ofServer = SnapshotFolder.ofNode(folder, Role.SERVER, 0);
        Map<Integer, List<SnapshotFolder.Held>> held = new HashMap<>();
        CrewHistory newest = null;
        for (SnapshotFolder.Held each : heldBy(0, settings, folder)) {
            CrewHistory then = CrewHistory.of(settings, ofServer.crewAt(each.clock()), each.clock());
            newest = null == newest ? then : newest;
            boolean whole = then.nodes(settings)
                    .allMatch(node -> held.computeIfAbsent(node, _ -> heldBy(node, settings, folder))
                            .contains(each));
            if (whole) {
                return new RestorableCrews(newest, then);
            }
        }
        return new RestorableCrews(null == newest ? first : newest, first);
    }

    private static List<SnapshotFolder.Held> heldBy(int node, ClusterSettings settings, Path folder) {
        NodeIds ids = settings.nodeIds();
        return SnapshotFolder.ofNode(folder, ids.role(node), ids.index(node)).held(_ -> {}); // it reports damaged ones
    }

    /**
     * The nodes of either crew.
     *
     * @param settings of the cluster
     * @return their ids, ascending
     */
    public IntStream nodes(ClusterSettings settings) {
        return IntStream.concat(newest.nodes(settings), common.nodes(settings))
                .distinct()
                .sorted();
    }
}
