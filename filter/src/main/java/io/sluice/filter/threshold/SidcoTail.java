package io.sluice.filter.threshold;

/**
 * The multi-stage exponential fit of SIDCo (Abdelmoniem et al., "An Efficient Statistical-based Gradient Compression
 * Technique for Distributed Training Systems", MLSys 2021, arXiv 2101.10761). If magnitudes were exponential of mean b,
 * a share of q would lie above {@code b ln(1 / q)} (its one-stage estimate, for double exponential gradients). They are
 * not quite, least of all in the tail, so each stage fits again to the magnitudes above the threshold of the stage
 * before: with n of N above level u, on average b above it, the next level is {@code u + b ln(n / (q N))}, and a stage
 * that is not the last keeps at least a quarter of its elements.
 *
 * <p>Two things differ from the paper: a stage counts how many really lie above its level instead of taking the share
 * aimed at for granted, which makes the number of stages less critical, so it is fixed at {@value #STAGES}; and the fit
 * runs on the sample, not on all elements. The paper's gamma and generalised Pareto fits need the mean logarithm or the
 * variance as well; {@link EstimatedThreshold} corrects what the exponential one leaves by what was really kept.
 *
 * <p>Uses all of the sample's tail, where a selection uses one value: the better estimate where those wanted are few in
 * the sample; biased where the tail is not exponential. Cost: at most {@value #STAGES} passes of the sample, no copy.
 */
public final class SidcoTail implements TailEstimator {
    private static final int STAGES = 3;
    private static final double STAGE_SHARE = 0.25;

    /** With fewer elements there is no estimate of a tail. */
    private static final int FEWEST = 8;

    private final ExponentialTail tail = new ExponentialTail();

    /** Makes an estimator. */
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
            // Sparse updates: fewer than wanted are above 0. Later stages: the stage before overshot.
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

    /** Mostly the bias of the model, which the size of the sample does not change. */
    @Override
    public double error(double wanted) {
        return 0.6;
    }
}
