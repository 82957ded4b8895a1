package io.sluice.messaging.spi;

/**
 * The properties by which an order may rank a slice that is to be sent. Mutable and reused, for one thread.
 */
public final class SliceUrgency {
    private int layer;
    private int part;
    private long round;
    private float magnitude;
    private float relative;

    /** Makes the urgency of slice 0 without a change. */
    public SliceUrgency() {}

    /**
     * Sets the slice.
     *
     * @param ofLayer layer of the slice, from 0 in the order in which a forward pass needs them
     * @param ofPart number of the slice within its layer, from 0
     * @param inRound round of the slice, from 0
     * @return this
     */
    public SliceUrgency slice(int ofLayer, int ofPart, long inRound) {
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
    public SliceUrgency change(float change, float parameters) {
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
     * The sum of the magnitudes of the change divided by the sum of the magnitudes of the parameters. If the latter is
     * zero or unknown, it is the sum of the change alone.
     */
    public float relative() {
        return relative;
    }
}
