package io.sluice.consistency.wire;

/**
 * Aeron stream ids of one cluster. They are derived from the cluster's id, so that two clusters that share a media
 * driver neither read nor delay each other's logs.
 *
 * <p>The lower 17 bits state the purpose of the stream; the upper 14 bits come from the cluster's id and are never 0,
 * which separates these streams from control messages. If two clusters on one driver have the same 14 bits, the id in
 * each frame separates them, but a slow reader of one can delay the other.
 */
public final class Streams {
    private static final int PURPOSE_BITS = 17;
    private static final int CLUSTER_MASK = 0x3FFF;
    private static final int BROADCAST = 1 << 16;
    private static final int RELAY = BROADCAST + 1;
    private static final int REQUESTS = BROADCAST + 2;

    /** Upper bound of node ids. */
    private static final int NODES = 1 << 12;

    /**
     * Number of successive incarnations of a place whose streams are distinct. A stream in shared memory without a
     * reader ends within seconds, before its place has had this many incarnations.
     */
    private static final int INCARNATIONS = BROADCAST / NODES;

    private static final int OWN = BROADCAST + NODES;

    private static final int RELAYED_TREE = OWN + NODES;

    /**
     * Number of trees that have streams of their own; with more trees, some share streams. A prime: nodes are fewer
     * than 2 to the power of 12, and the numbers of the trees in which a node relays differ by the number of sites.
     */
    private static final int RELAYED_TREES = 57_331;

    private final int base;

    /**
     * Derives the streams of a cluster.
     *
     * @param clusterId id of the cluster
     */
    public Streams(long clusterId) {
        int cluster = (int) (clusterId ^ (clusterId >>> 32)) & CLUSTER_MASK;
        base = Math.max(1, cluster) << PURPOSE_BITS;
    }

    /**
     * The stream on which one node receives frames for it alone: pushes to a server, pulled parameters to a worker. If
     * other nodes may take its place, each incarnation has a stream of its own, since frames to an earlier one may
     * still be unread in shared memory.
     *
     * @param node        the receiving node
     * @param incarnation epoch of its welcome; 0 if no other node can have its place
     * @return stream id
     */
    public int to(int node, int incarnation) {
        return base + incarnation % INCARNATIONS * NODES + node;
    }

    /**
     * The stream on which servers broadcast to all workers of a host, or to one worker by UDP.
     *
     * @return stream id
     */
    public int broadcast() {
        return base + BROADCAST;
    }

    /**
     * The stream on which a relay receives frames that servers repeat to it.
     *
     * @return stream id
     */
    public int relay() {
        return base + RELAY;
    }

    /**
     * The stream on which servers request missing pushes from a worker. It is separate from that of broadcasts, which
     * the trainer reads, because a worker that pushes may wait for this request.
     *
     * @return stream id
     */
    public int requests() {
        return base + REQUESTS;
    }

    /**
     * The stream on which a worker receives the broadcasts of one tree that it forwards. Each tree has its own stream:
     * its sender detects when no reader is left, and the other trees continue.
     *
     * @param tree number of the tree
     * @return stream id
     */
    public int relay(int tree) {
        return base + RELAYED_TREE + tree % RELAYED_TREES;
    }

    /**
     * The stream in shared memory on which a relay passes broadcasts to its own trainer, if no other worker of its host
     * reads them.
     *
     * @param node the worker's node
     * @return stream id
     */
    public int own(int node) {
        return base + OWN + node;
    }
}
