package io.sluice.filter.threshold;

/**
 * The threshold that a wanted share of the table exceeds.
 *
 * <p>At the start of clock t only clock t - 1 is known: a sample, and the number kept. The reference is the threshold
 * that would have given the share that is wanted now. It is found in one of two ways:
 *
 * <ul>
 *   <li><b>Estimate</b>: a {@link TailEstimator} on the sample. It is used if the kept share differed from the wanted
 *   one by more than the estimator's error, or the wanted share changed by more; and only if about as many of the
 *   sample as wanted are above it: equal magnitudes may have no such threshold. Every few clocks it runs in any case,
 *   to fit the scale of the tail again. <li><b>Correction</b>: otherwise the last threshold plus {@code b (g ln(kept /
 *   wanted) + ln(wanted before / wanted now))}, b being the scale of the exponential tail above it. With an exponential
 *   tail, g = 1 would correct the whole error; g = 0.7 leaves a third of it for the next clock, and is stable as long
 *   as the tail is less than 2.8 times as steep as its fit. Held-back values return in later clocks. The density
 *   responds most strongly in the clock of the change, so this makes the loop slower, not unstable.
 * </ul>
 *
 * <p>Each slice then scales the reference by its own growth since: mean magnitude of its sample now over that of the
 * previous clock, with {@value #PRIOR} samples without growth added, so that small samples vary less. The residual
 * grows fast in the first clocks, and gradients vary from batch to batch; the number of kept elements is known one
 * clock later.
 *
 * <p>While nothing is known (the first clock, or all zeros so far) each slice is estimated from its own sample. Neither
 * way depends on the order of slices within a clock.
 *
 * <p>Bound: the largest threshold used.
 */
public final class EstimatedThreshold implements SliceThreshold {
    private static final double GAIN = 0.7;
    private static final int PRIOR = 16;

    /**
     * Limits of a step, as logarithms. Steps of equal length up and down would never end if magnitudes are equal and
     * all or none are kept.
     */
    private static final double MOST_OVER = 4;

    private static final double MOST_SHORT = 1;

    /** Maximum growth or shrinkage of a slice since the last clock that its sample shows. */
    private static final double MOST_GROWTH = 8;

    private final DensityTarget target;
    private final TailEstimator estimator;
    private final MagnitudeSample sample;
    private final int every;
    private final ExponentialTail tail = new ExponentialTail();

    private long clock;
    private long clocks;
    private double wanted;
    private boolean known;
    private double reference;
    private double scale;
    private double total;
    private long offered;
    private long kept;
    private long frames;
    private long payload;

    /**
     * Creates a chooser.
     *
     * @param target wanted share
     * @param estimator estimator of thresholds
     * @param span elements of the table's residual, gaps between its slices included
     * @param sliceElements elements of a whole slice
     * @param every number of clocks from one run of the estimator to the next, 1 or more
     */
    public EstimatedThreshold(DensityTarget target, TailEstimator estimator, long span, int sliceElements, int every) {
        this.target = target;
        this.estimator = estimator;
        this.sample = new MagnitudeSample(span, sliceElements);
        this.every = every;
    }

    /**
     * The maximum size of a sample, for estimators that allocate memory for it.
     *
     * @param span elements of the table's residual, gaps between its slices included
     * @param sliceElements elements of a whole slice
     * @return elements
     */
    public static int sampleSize(long span, int sliceElements) {
        return MagnitudeSample.size(span, sliceElements);
    }

    @Override
    public float choose(SliceValues slice, long at) {
        if (at != clock) {
            begin(at);
        }
        sample.take(slice);
        if (wanted >= 1) {
            return 0;
        }
        double threshold = known ? reference * growth() : own();
        return threshold >= 0
                ? (float) Math.min(threshold, Float.MAX_VALUE)
                : 0; // NaN, of a sample with NaNs: send all
    }

    @Override
    public void observe(int elements, int count, int length) {
        offered += elements;
        kept += count;
        frames += count == 0 ? 0 : 1;
        payload += count == 0 ? 0 : length;
    }

    /** The factor by which the slice grew since the last clock. */
    private double growth() {
        double prior = PRIOR * total / sample.magnitudes().length;
        double growth = (sample.now() + prior) / (sample.before() + prior);
        return Math.clamp(growth, 1 / MOST_GROWTH, MOST_GROWTH);
    }

    /** The threshold of a slice estimated from its own sample alone. */
    private double own() {
        return sample.count() == 0
                ? 0
                : estimator.threshold(sample.magnitudes(), sample.from(), sample.count(), wanted);
    }

    private void begin(long at) {
        if (offered > 0) {
            target.observe(kept, frames, payload);
        }
        double before = wanted;
        wanted = target.density(at);
        clock = at;
        double sum = sample.total();
        if (!(sum > 0 && sum < Double.POSITIVE_INFINITY)) {
            // the sample total is zero or not finite, so there is no scale: each slice uses its own sample
            known = false;
        } else if (offered > 0 && Math.min(before, wanted) < 1) {
            learn(sum, Math.min(before, 1));
        }
        total = sum;
        offered = 0;
        kept = 0;
        frames = 0;
        payload = 0;
        clocks++;
    }

    /** Finds the threshold that would have given the wanted share in the clock that has ended. */
    private void learn(double sum, double before) {
        float[] magnitudes = sample.magnitudes();
        double goal = Math.min(wanted, 1);
        // One is added on both sides, since zero has no logarithm.
        double miss = StrictMath.log((kept + 1) / (before * offered + 1));
        double step = Math.clamp(miss, -MOST_SHORT, MOST_OVER);
        double shift = StrictMath.log(before / goal);
        if (known) {
            reference *= sum / total;
            scale *= sum / total;
        }
        double expected = goal * magnitudes.length;
        double doubt = estimator.error(expected);
        boolean lost = !known || Math.abs(miss) > doubt || Math.abs(shift) > doubt;
        double estimate = reference;
        boolean resolved = false;
        if (lost || clocks % every == 0) {
            estimate = goal < 1 ? estimator.threshold(magnitudes, 0, magnitudes.length, goal) : 0;
            tail.fit(magnitudes, 0, magnitudes.length, estimate);
            resolved = tail.count() > expected / 2 - 1 && tail.count() < expected * 2 + 1;
            // Without a tail the scale of all elements is used.
            scale = resolved && tail.count() > 0 ? tail.scale() : sum / magnitudes.length;
        }
        if (!known || (lost && resolved)) {
            reference = estimate;
        } else {
            reference = Math.max(reference + scale * (GAIN * step + shift), reference / MOST_GROWTH);
        }
        known = true;
    }
}
