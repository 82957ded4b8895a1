package io.sluice.messaging.spi;

import io.sluice.messaging.outbox.SliceOrders;

/**
 * Which slice is sent first.
 *
 * <p>An order maps a slice to a rank when the slice is handed over; the smaller rank leaves first, equal ranks in the
 * order in which they were handed over. Ranks of a slice that waits change only if its content does.
 *
 * <p>One instance per node and thread: implementations may keep state. They allocate nothing.
 */
public interface SliceOrder {
    /** The text that names it, as {@link SliceOrders#named} takes it. */
    String name();

    /** Width of the ranks: they are from 0 to below 2 to the power of this; 0 to 63. */
    int bits();

    /**
     * Ranks a slice.
     *
     * @param urgency what is known of it
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
