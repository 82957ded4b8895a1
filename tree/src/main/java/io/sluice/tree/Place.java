package io.sluice.tree;

/**
 * The host of a node, for planning.
 *
 * @param node     id of the node, unique in the cluster
 * @param host     name of the host, equal for nodes that share one media driver and so can share memory
 * @param endpoint {@code host:port} at which the node receives UDP
 */
public record Place(int node, String host, String endpoint) {
    /** The site for planners: the host, or the node itself if nodes of a host do not share memory. */
    String site(boolean sharedMemory) {
        return sharedMemory ? host : "node " + node;
    }
}
