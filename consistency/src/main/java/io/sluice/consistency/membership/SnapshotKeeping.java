package io.sluice.consistency.membership;

import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.snapshot.SnapshotException;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.snapshot.SnapshotRetention;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.Uninterrupted;
import java.util.function.Consumer;

/** Starts the snapshots of a node. */
public final class SnapshotKeeping {
    private SnapshotKeeping() {}

    /**
     * Begins to keep this node's snapshots if the cluster takes snapshots.
     *
     * @param context    context of this node
     * @param membership membership of this node
     * @param role       role of this node
     * @param reporting  receives a sentence if the folder is not used, or its disk is slow at the end
     * @return the snapshots of this node, or null if the cluster takes none; close them before the memory to which they
     *     are copied
     * @throws ClusterException if the node has no folder for them, or would have to delete committed snapshots
     */
    public static NodeSnapshots begin(
            NodeContext<?> context, Membership membership, Role role, Consumer<String> reporting) {
        ClusterPlan plan = membership.plan();
        String name = plan.nameOf(membership.node());
        if (!plan.start().takesSnapshots()) {
            if (null != context.snapshots()) {
                reporting.accept(
                        name + " keeps nothing in " + context.snapshots() + ": this cluster takes no snapshots");
            }
            return null;
        }
        if (null == context.snapshots()) {
            throw membership.fail(
                    Failure.REFUSED, name + " was given no folder for the snapshots that this cluster takes");
        }
        return Uninterrupted.call(() -> begin(context, membership, role, name, reporting));
    }

    private static NodeSnapshots begin(
            NodeContext<?> context, Membership membership, Role role, String name, Consumer<String> reporting) {
        ClusterPlan plan = membership.plan();
        SnapshotFolder folder = SnapshotFolder.ofNode(context.snapshots(), role.configName(), context.index());
        if (!plan.start().isRestored() && !plan.isOfNewcomer()) {
            try {
                folder.requireNoneCommitted();
            } catch (SnapshotException e) {
                throw membership.fail(Failure.REFUSED, name + " does not take part: " + e.getMessage());
            }
        }
        // A newer snapshot was never committed, or belongs to a run that the restore abandoned. Delete it, because a
        // snapshot of this run could later have the same clock. A newcomer keeps the committed snapshots of the
        // previous node of its place: until later snapshots are committed, the job may still return to them.
        long committed = membership.snapshots().committed();
        folder.keep(at -> at <= committed);
        folder.cutLog(plan.start().run(), committed);
        return new NodeSnapshots(
                folder,
                membership.snapshots(),
                plan.start().run(),
                name,
                plan.settings().shape(),
                new SnapshotRetention(context.keptSnapshots(), context.snapshotIncrements(), context.logsClocks()),
                new CountedSnapshots(membership.counters()),
                context.clock(),
                reporting);
    }
}
