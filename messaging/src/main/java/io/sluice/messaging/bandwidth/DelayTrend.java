package io.sluice.messaging.bandwidth;

import java.util.Arrays;

/**
 * Whether the one-way delays of a stream of probes increase (Jain and Dovrolis, End-to-End Available Bandwidth,
 * IEEE/ACM ToN 11(4), 2003, section IV): a stream faster than the available bandwidth queues up at the tight link, and
 * each probe waits longer than the previous one.
 *
 * <p>The K delays are divided into consecutive groups of sqrt(K), and two tests examine the groups' medians. They must
 * not contradict each other. Only differences of delays matter, so the clocks of the two hosts need not agree.
 */
enum DelayTrend {
    INCREASING,
    STEADY,
    AMBIGUOUS;

    /** Minimum number of delays that can show a trend. */
    static final int MIN_DELAYS = 16;

    // The thresholds of the pathload program: between the two, a test decides nothing.
    private static final double PCT_INCREASING = 0.66;
    private static final double PCT_STEADY = 0.54;
    private static final double PDT_INCREASING = 0.55;
    private static final double PDT_STEADY = 0.45;

    /**
     * Classifies a stream.
     *
     * @param delays delays in the order of sending, of the probes that arrived, in any unit
     * @return ambiguous if the tests decide nothing or contradict each other, or there are too few delays
     */
    static DelayTrend of(int[] delays) {
        if (delays.length < MIN_DELAYS) {
            return AMBIGUOUS;
        }
        double[] medians = medians(delays);
        DelayTrend comparison = judge(pairwiseComparison(medians), PCT_STEADY, PCT_INCREASING);
        DelayTrend difference = judge(pairwiseDifference(medians), PDT_STEADY, PDT_INCREASING);
        if (comparison == AMBIGUOUS || comparison == difference) {
            return difference;
        }
        return difference == AMBIGUOUS ? comparison : AMBIGUOUS;
    }

    private static DelayTrend judge(double metric, double steady, double increasing) {
        if (metric > increasing) {
            return INCREASING;
        }
        return metric < steady ? STEADY : AMBIGUOUS;
    }

    /** Medians of floor(sqrt(K)) groups of equal length; the last group also has the remaining delays. */
    static double[] medians(int[] delays) {
        int groups = (int) Math.sqrt(delays.length);
        int length = delays.length / groups;
        double[] medians = new double[groups];
        for (int i = 0; i < groups; i++) {
            int end = i == groups - 1 ? delays.length : (i + 1) * length;
            int[] group = Arrays.copyOfRange(delays, i * length, end);
            Arrays.sort(group);
            int middle = group.length / 2;
            medians[i] = group.length % 2 == 1 ? group[middle] : ((double) group[middle - 1] + group[middle]) / 2;
        }
        return medians;
    }

    /** PCT: the share of medians above the previous median; 0.5 is expected without a trend, 1 with a strict rise. */
    static double pairwiseComparison(double[] medians) {
        int above = 0;
        for (int i = 1; i < medians.length; i++) {
            above += medians[i] > medians[i - 1] ? 1 : 0;
        }
        return (double) above / (medians.length - 1);
    }

    /** PDT: the rise from the first median to the last, as a share of all movement; -1 to 1, and 0 without movement. */
    static double pairwiseDifference(double[] medians) {
        double movement = 0;
        for (int i = 1; i < medians.length; i++) {
            movement += Math.abs(medians[i] - medians[i - 1]);
        }
        return movement == 0 ? 0 : (medians[medians.length - 1] - medians[0]) / movement;
    }
}
