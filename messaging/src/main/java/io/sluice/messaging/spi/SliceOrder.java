package io.sluice.messaging.spi;

import io.sluice.messaging.outbox.SliceOrders;

/**
 * Decides which slice is sent first.
 *
 * <p>An order maps a slice to a rank when the slice is handed over; slices with smaller ranks are sent first, slices
 * with equal ranks in the order in which they were handed over. Ranks of a slice that waits change only if its content
 * does.
 *
 * <p>One instance per node and thread: implementations may keep state. They allocate nothing.
 */
public interface SliceOrder {
    /** The text that describes this order, in the form that {@link SliceOrders#named} reads. */
    String name();

    /** Width of the ranks in bits, 0 to 63: ranks are 0 or more and below 2 to this power. */
    int bits();

    /**
     * Ranks a slice.
     *
     * @param urgency properties of the slice
     * @return 0 to {@code 2^bits - 1}
     */
    long rank(SliceUrgency urgency);

    /** Whether {@link #rank} uses magnitudes, which cost a pass over the values that are sent. */
    default boolean weighs() {
        return false;
    }

    /** Whether {@link #rank} also uses the magnitude of the parameters. */
    default boolean compares() {
        return false;
    }
}
