package io.sluice.messaging.spi;

/**
 * What an order may use to rank one slice that is to be sent. Mutable and reused, for one thread.
 */
public final class SliceUrgency {
    private int layer;
    private int part;
    private long round;
    private float magnitude;
    private float relative;

    /** Of the first slice, which does not change. */
    public SliceUrgency() {}

    /**
     * Says which slice it is.
     *
     * @param ofLayer its layer, from 0 in the order in which a forward pass needs them
     * @param ofPart  its number within the layer, from 0
     * @param inRound the round it belongs to, from 0
     * @return this
     */
    public SliceUrgency slice(int ofLayer, int ofPart, long inRound) {
        layer = ofLayer;
        part = ofPart;
        round = inRound;
        return this;
    }

    /**
     * Says how much it changes. Needed if {@link SliceOrder#weighs}.
     *
     * @param change     magnitude of the change, finite, 0 or more
     * @param parameters magnitude of what is changed, finite; 0 if not known
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

    /** Magnitude of the change. */
    public float magnitude() {
        return magnitude;
    }

    /** Magnitude of the change over that of the parameters; of unknown or zero parameters that of the change. */
    public float relative() {
        return relative;
    }
}
