package io.sluice.consistency.membership;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.messaging.Routes;
import io.sluice.messaging.Uninterrupted;
import io.sluice.messaging.api.Endpoint;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.agrona.concurrent.NanoClock;

/**
 * The statements of a node that requests to join.
 *
 * @param role       role of the node
 * @param index      index of its place, or -1 for any
 * @param cluster    address of the coordinator, or the addresses of several, in their order
 * @param local      endpoint at which the node receives; port 0 for any free one
 * @param held       snapshots that it holds of an earlier run, newest first
 * @param changes    for a server, changes of the worker set up to the newest of these (
 *                   {@link WorkerSetChange#code})
 * @param declared   terms of the node's trainer as text; empty if there are none
 * @param answerNs   time to wait for an answer from a coordinator, in nanoseconds
 * @param completeNs time to wait for the cluster to be complete, in nanoseconds
 * @param waitNs     time to continue without a leader if there are several coordinators, in nanoseconds
 * @param clock      monotonic time
 * @param secret     secret of the cluster, or null if it has none
 */
public record JoinRequest(
        Role role,
        int index,
        List<Endpoint> cluster,
        Endpoint local,
        List<SnapshotFolder.Held> held,
        List<Long> changes,
        String declared,
        long answerNs,
        long completeNs,
        long waitNs,
        NanoClock clock,
        ClusterSecret secret) {
    /** Copies the lists. */
    public JoinRequest {
        cluster = List.copyOf(cluster);
    }

    /**
     * The request that a node sends to the coordinator.
     *
     * @param context context of the node
     * @param role    role of the node
     * @param damaged receives a sentence for each damaged snapshot in the folder
     * @return the request
     * @throws io.sluice.consistency.snapshot.SnapshotException if the folder cannot be used, or all snapshots are
     *     damaged
     */
    public static JoinRequest of(NodeContext<?> context, Role role, Consumer<String> damaged) {
        InetAddress local = null == context.bindHost()
                ? Routes.localAddressTowards(context.cluster())
                : new Endpoint(context.bindHost(), 0).resolve().getAddress();
        context.requireSecretBeyondLoopback("this " + role.configName(), local);
        Endpoint receiving = new Endpoint(local.getHostAddress(), 0); // peers accept only addresses, no names
        SnapshotFolder folder = null == context.snapshots()
                ? null
                : Uninterrupted.call(
                        () -> SnapshotFolder.ofNode(context.snapshots(), role.configName(), context.index()));
        List<SnapshotFolder.Held> held = null == folder
                ? List.of()
                : Claims.stated(Uninterrupted.call(() -> folder.heldUnlessAllDamaged(damaged)));
        List<Long> changes = held.isEmpty()
                ? List.of()
                : Uninterrupted.call(() -> folder.workerSetAt(held.getFirst().clock()));
        return new JoinRequest(
                role,
                context.index(),
                context.coordinators(),
                receiving,
                held,
                changes,
                context.declaredTerms(),
                context.answerNs(),
                context.completeNs(),
                context.coordinatorWaitNs(),
                context.clock(),
                context.secret());
    }

    Claims claims() {
        return new Claims(held, changes, declared);
    }

    /** The addresses of the coordinators, for messages. */
    String where() {
        return cluster.stream().map(Endpoint::toString).collect(Collectors.joining(", "));
    }
}
