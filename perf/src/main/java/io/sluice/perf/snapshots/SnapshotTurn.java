package io.sluice.perf.snapshots;

/**
 * What one turn has shown.
 *
 * @param clockSeconds   of each clock that counts, at worker 0
 * @param snapshots      that each node has written, at least
 * @param bytes          that all nodes have written
 * @param copySeconds    for which the node that copied for longest stood still, in all its snapshots
 * @param takingSeconds  mean time of a snapshot from its first copy to the disk, at the node that took longest
 * @param replicaHash    of worker 0's parameters at the end
 */
record SnapshotTurn(
        double[] clockSeconds, long snapshots, long bytes, double copySeconds, double takingSeconds, int replicaHash) {}
