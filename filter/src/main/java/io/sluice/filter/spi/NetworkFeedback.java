package io.sluice.filter.spi;

/**
 * This node's data about the network between itself and the nodes to which it sends. A filter uses one of the two
 * measures, depending on its policy.
 *
 * <p>The thread that filters calls it once for each table and clock. Any thread may call it, and no call blocks.
 */
public interface NetworkFeedback {
    /** The answer if there is no budget. */
    long NO_BUDGET = -1;

    /**
     * Whether the links carry what is sent now (Parameter Flow, section 3.3.3: "sufficient"): at a worker, the links to
     * all servers to which it pushes; at a server, all links that its broadcasts use.
     *
     * @return true if all these links have at least the required bandwidth
     */
    boolean isSufficient();

    /**
     * Number of bytes that this node should send in the next clock, in frames before compression.
     *
     * @return bytes of all tables together, 0 or more, or {@link #NO_BUDGET}
     */
    long bytesPerClock();
}
