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
    long rank(Urgency urgency);

    /** Whether {@link #rank} uses magnitudes, which cost a pass over the values that are sent. */
    default boolean weighs() {
        return false;
    }

    /** Whether {@link #rank} also uses the magnitude of the parameters. */
    default boolean compares() {
        return false;
    }

    /**
     * The properties by which an order may rank a slice that is to be sent. Mutable and reused, for one thread.
     */
    final class Urgency {
        private int layer;
        private int part;
        private long round;
        private float magnitude;
        private float relative;

        /** Creates the urgency of slice 0 without a change. */
        public Urgency() {}

        /**
         * Sets the slice.
         *
         * @param ofLayer layer of the slice, from 0 in the order in which a forward pass needs them
         * @param ofPart number of the slice within its layer, from 0
         * @param inRound round of the slice, from 0
         * @return this
         */
        public Urgency slice(int ofLayer, int ofPart, long inRound) {
            layer = ofLayer;
            part = ofPart;
            round = inRound;
            return this;
        }

        /**
         * Sets how much the slice changes. Needed if {@link SliceOrder#weighs}.
         *
         * @param change     sum of the magnitudes of the change, finite, 0 or more
         * @param parameters sum of the magnitudes of the parameters, finite; 0 if not known
         * @return this
         */
        public Urgency change(float change, float parameters) {
            magnitude = change;
            relative = parameters > 0 ? Math.min(change / parameters, Float.MAX_VALUE) : change;
            return this;
        }

        /** The layer, from 0. */
        public int layer() {
            return layer;
        }

        /** The number of the slice within its layer, from 0. */
        public int part() {
            return part;
        }

        /** The round. */
        public long round() {
            return round;
        }

        /** Sum of the magnitudes of the change. */
        public float magnitude() {
            return magnitude;
        }

        /**
         * The sum of the magnitudes of the change divided by the sum of the magnitudes of the parameters. If the latter
         * is zero or unknown, it is the sum of the change alone.
         */
        public float relative() {
            return relative;
        }
    }
}
