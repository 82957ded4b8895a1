package io.sluice.filter.threshold;

import io.sluice.codecs.api.ValueType;

/**
 * Withholds rounding errors only: the threshold of a slice is the largest error that rounding leaves
 * of the slice's greatest magnitude. With threshold 0, the filter would send the rounding errors of the previous clock
 * as further values. Depends on the slice alone, so a restored node repeats its choices.
 */
public final class RoundingThreshold implements SliceThreshold {
    /** A BF16 has 8 significant bits, an F16 has 11, down to half of its least magnitude. */
    private static final float BF16 = 0x1p-8f;

    private static final float F16 = 0x1p-11f;
    private static final float LEAST_F16 = 0x1p-25f;

    /** Relative error of a LOG8: with magnitudes within a factor of 32, five octaves, it is 5/252. */
    private static final float LOG8 = 0x1p-5f;

    private final ValueType type;

    /**
     * Creates a chooser.
     *
     * @param type type of the values sent
     */
    public RoundingThreshold(ValueType type) {
        this.type = type;
    }

    @Override
    public float choose(SliceValues slice, long clock) {
        return switch (type.plain()) {
            case BF16 -> BF16 * slice.greatest();
            case F16 -> Math.max(F16 * slice.greatest(), LEAST_F16);
            case LOG8 -> LOG8 * slice.greatest();
            default -> 0; // nothing is rounded
        };
    }

    /** Does nothing: the threshold does not depend on the kept elements. */
    @Override
    public void observe(int elements, int kept, int bytes) {}
}
