package io.sluice.filter.threshold;

/**
 * The same share at every clock, but never less than one element of the table: an element that is never sent would grow
 * without bound.
 */
public final class ConstantDensity implements DensityTarget {
    private final double density;

    /**
     * Creates a target.
     *
     * @param density wanted density, above 0
     * @param elements elements of the table, 1 or more
     */
    public ConstantDensity(double density, long elements) {
        this.density = Math.max(density, 1.0 / elements);
    }

    @Override
    public double density(long clock) {
        return density;
    }

    /** Does nothing: the density is constant. */
    @Override
    public void observe(long kept, long frames, long payload) {}
}
