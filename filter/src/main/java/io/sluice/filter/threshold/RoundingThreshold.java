package io.sluice.filter.threshold;

import io.sluice.codecs.api.ValueType;

/**
 * Withholds rounding errors, and no more than these: the threshold of a slice is the largest error that rounding leaves
 * of the slice's greatest magnitude. With threshold 0, the filter would send what rounding left of the clock before as
 * values of their own. Depends on the slice alone, so a restored node repeats its choices.
 */
public final class RoundingThreshold implements SliceThreshold {
    /** A BF16 has 8 significant bits, an F16 has 11, down to half of its least magnitude. */
    private static final float BF16 = 0x1p-8f;

    private static final float F16 = 0x1p-11f;
    private static final float LEAST_F16 = 0x1p-25f;

    /** A LOG8 of magnitudes within a factor of 32, five octaves, has an error of 5/252. */
    private static final float LOG8 = 0x1p-5f;

    private final ValueType type;

    /**
     * Makes a chooser.
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

    /** There is nothing to learn. */
    @Override
    public void observe(int elements, int kept, int bytes) {}
}
