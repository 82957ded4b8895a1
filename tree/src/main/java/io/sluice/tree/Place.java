package io.sluice.tree;

/**
 * The host of a node, for planning.
 *
 * @param node     id of the node, unique in the cluster
 * @param host     equal for nodes that share one media driver, and so can share memory
 * @param endpoint {@code host:port} at which the node receives UDP
 */
public record Place(int node, String host, String endpoint) {
    /** The host as planners see it; the node alone if nodes of a host do not share memory. */
    String site(boolean sharedMemory) {
        return sharedMemory ? host : "node " + node;
    }
}
