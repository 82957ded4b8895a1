package io.sluice.consistency.wire;

/**
 * Aeron stream ids of one cluster. They are derived from the cluster's id, so that two clusters that share a media
 * driver do not read, and hold up, one another's logs.
 *
 * <p>The lower 17 bits say what the stream is for; the upper 14 come from the cluster's id. A collision of those costs
 * nothing but rejected frames, since every frame names its cluster.
 */
public final class Streams {
    private static final int PURPOSE_BITS = 17;
    private static final int CLUSTER_MASK = 0x3FFF;
    private static final int BROADCAST = 1 << 16;

    private final int base;

    /**
     * Derives the streams of a cluster.
     *
     * @param clusterId id of the cluster
     */
    public Streams(long clusterId) {
        base = ((int) (clusterId ^ (clusterId >>> 32)) & CLUSTER_MASK) << PURPOSE_BITS;
    }

    /**
     * The stream on which one node receives what is meant for it alone: pushes to a server, pulled parameters to a
     * worker.
     *
     * @param node the receiving node
     * @return stream id
     */
    public int to(int node) {
        return base + node;
    }

    /**
     * The stream on which servers broadcast to all workers of a host, or to one worker by UDP.
     *
     * @return stream id
     */
    public int broadcast() {
        return base + BROADCAST;
    }
}
