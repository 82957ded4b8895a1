package io.sluice.filter.threshold;

/**
 * The order statistic of the sample, as Deep Gradient Compression takes it (Lin et al., ICLR 2018). If the sample has
 * fewer than {@value #ANCHOR} wanted elements, an order statistic would be almost random: the tail above the {@value
 * #ANCHOR}th largest is then assumed to be exponential.
 *
 * <p>Relative error of the density: about one by the square root of the number of wanted elements in the sample. Cost:
 * a copy, a selection (about three passes) and, if it extrapolates, one more pass of the sample.
 */
public final class SelectedTail implements TailEstimator {
    private static final int ANCHOR = 16;

    private final float[] scratch;
    private final ExponentialTail tail = new ExponentialTail();

    /**
     * Creates an estimator.
     *
     * @param largest size of the largest sample
     */
    public SelectedTail(int largest) {
        this.scratch = new float[largest];
    }

    @Override
    public double threshold(float[] magnitudes, int from, int count, double density) {
        double wanted = density * count;
        int rank = (int) Math.max(Math.round(wanted), Math.min(ANCHOR, count / 4));
        if (rank >= count) {
            return 0;
        }
        System.arraycopy(magnitudes, from, scratch, 0, count);
        // In descending order, the wanted number of magnitudes lies before this one.
        double level = Selection.descending(scratch, count, rank);
        if (wanted > rank - 1) {
            return level;
        }
        tail.fit(magnitudes, from, count, level);
        // Sparse updates may have fewer elements than wanted above the level: then the level is the threshold.
        return level + tail.scale() * StrictMath.log(Math.max(tail.count() / wanted, 1));
    }

    /** Two standard deviations, but at least a tenth, below which a correction does as well. */
    @Override
    public double error(double wanted) {
        return Math.max(2 / Math.sqrt(Math.max(wanted, 1)), 0.1);
    }
}
