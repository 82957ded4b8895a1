package io.sluice.filter.spi;

/**
 * What is known of the network between this node and those it sends to: the one question that filters ask of links.
 * There are two ways to answer; a filter uses the one it understands.
 *
 * <p>Asked once for each table and clock, from the thread that filters; answered from any, at once and without waiting.
 */
public interface NetworkFeedback {
    /** No budget. */
    long NO_BUDGET = -1;

    /**
     * Whether the links are up to what is sent now (Parameter Flow, section 3.3.3: "sufficient"): of a worker, the
     * links to all servers it pushes to; of a server, all links its broadcasts travel on.
     *
     * @return true if all of them have at least the bandwidth that is required of them
     */
    boolean isSufficient();

    /**
     * How many bytes this node should send in the next clock, in frames before compression.
     *
     * @return bytes of all tables together, 0 or more, or {@link #NO_BUDGET}
     */
    long bytesPerClock();
}
