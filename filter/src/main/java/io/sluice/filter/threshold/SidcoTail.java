package io.sluice.filter.threshold;

/**
 * The multi-stage exponential fit of SIDCo (Abdelmoniem et al., "An Efficient Statistical-based Gradient Compression
 * Technique for Distributed Training Systems", MLSys 2021, arXiv 2101.10761). If magnitudes were exponential of mean b,
 * a share of q would lie above {@code b ln(1 / q)} (its one-stage estimate, for double exponential gradients). They are
 * not exactly exponential, least of all in the tail, so each stage fits again to the magnitudes above the threshold of
 * the previous stage: with n of N above level u, by b on average, the next level is {@code u + b ln(n / (q N))}, and a
 * stage that is not the last keeps at least a quarter of its elements.
 *
 * <p>Two things differ from the paper: a stage counts how many are above its level instead of assuming the share that
 * it aims at, so the number of stages matters less and is fixed at {@value #STAGES}; and the fit runs on the sample,
 * not on all elements. The paper's gamma and generalised Pareto fits need the mean logarithm or the variance as well;
 * {@link EstimatedThreshold} corrects the remaining error of the exponential fit by the number of kept elements.
 *
 * <p>Uses all of the sample's tail, not one value as a selection does: a better estimate if the sample has few wanted
 * elements, and biased if the tail is not exponential. Cost: at most {@value #STAGES} passes of the sample, no copy.
 */
public final class SidcoTail implements TailEstimator {
    private static final int STAGES = 3;
    private static final double STAGE_SHARE = 0.25;

    /** Minimum number of elements for an estimate of a tail. */
    private static final int FEWEST = 8;

    private final ExponentialTail tail = new ExponentialTail();

    /** Creates an estimator. */
    public SidcoTail() {}

    @Override
    public double threshold(float[] magnitudes, int from, int count, double density) {
        double wanted = density * count;
        double level = 0;
        for (int stage = 1; stage <= STAGES; stage++) {
            tail.fit(magnitudes, from, count, level);
            if (stage > 1 && tail.count() < FEWEST) {
                return level;
            }
            double share = wanted / tail.count();
            // Sparse updates: fewer than wanted are above 0. Later stages: the previous stage overshot.
            if (share >= 1 && stage == 1) {
                return 0;
            }
            boolean last = stage == STAGES || share >= STAGE_SHARE;
            level += tail.scale() * -StrictMath.log(last ? share : STAGE_SHARE);
            if (last) {
                break;
            }
        }
        return Math.max(level, 0);
    }

    /** The error is mostly the bias of the model, which the size of the sample does not change. */
    @Override
    public double error(double wanted) {
        return 0.6;
    }
}
