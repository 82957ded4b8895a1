package io.sluice.consistency.membership;

import io.sluice.codecs.seal.ClusterSecret;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.terms.Role;
import io.sluice.messaging.Endpoint;
import java.util.List;
import java.util.stream.Collectors;
import org.agrona.concurrent.NanoClock;

/**
 * What a node states when it asks to join.
 *
 * @param role       of the node
 * @param index      of its place, or -1 for any
 * @param cluster    the coordinator's address; of several, the addresses of all, in their order
 * @param local      where the node receives; port 0 for any free one
 * @param held       snapshots that it holds of an earlier run, newest first
 * @param changes    of a server, changes of the worker set up to the newest of these ({@link WorkerSetChange#code})
 * @param declared   terms of its trainer as text; empty if there are none
 * @param answerNs   how long to wait for an answer of a coordinator, in nanoseconds
 * @param completeNs how long to wait for the cluster to be complete, in nanoseconds
 * @param waitNs     how long to continue without a leader, of several coordinators, in nanoseconds
 * @param clock      monotonic time
 * @param secret     of the cluster, or null if it has none
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
    /** Keeps a copy. */
    public JoinRequest {
        cluster = List.copyOf(cluster);
    }

    Claims claims() {
        return new Claims(held, changes, declared);
    }

    /** Where to ask, for a sentence. */
    String where() {
        return cluster.stream().map(Endpoint::toString).collect(Collectors.joining(", "));
    }
}
