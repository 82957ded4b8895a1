package io.sluice.filter.threshold;

/**
 * The warm-up of Deep Gradient Compression (Lin et al., ICLR 2018, section 3.3): while the model changes fast, the
 * density falls exponentially from 25% to the wanted one. Its sparsities of 75, 93.75, 98.4375 and 99.6% on the way to
 * 99.9% are those of a warm-up of four steps to 0.001:
 *
 * <pre>{@code density(t) = 0.25 * (wanted / 0.25)^((t - 1) / clocks), from clock 1 to the last of the warm-up}</pre>
 */
public final class WarmUp implements DensityTarget {
    /** Density of the first clock. */
    public static final double START = 0.25;

    private final DensityTarget wanted;
    private final long clocks;

    /**
     * Creates a target.
     *
     * @param wanted target after the warm-up; there is no warm-up if the target is above {@link #START}
     * @param clocks clocks of the warm-up, 0 or more
     */
    public WarmUp(DensityTarget wanted, long clocks) {
        this.wanted = wanted;
        this.clocks = clocks;
    }

    @Override
    public double density(long clock) {
        double end = wanted.density(clock);
        if (clock > clocks || end >= START) {
            return end;
        }
        return START * StrictMath.pow(end / START, (clock - 1) / (double) clocks);
    }

    @Override
    public void observe(long kept, long frames, long payload) {
        wanted.observe(kept, frames, payload);
    }
}
