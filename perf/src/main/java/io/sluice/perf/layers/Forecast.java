package io.sluice.perf.layers;

import java.util.Arrays;

/**
 * The predicted times of an iteration, in seconds.
 *
 * @param compute   computing alone
 * @param wire      transfer of the model to the servers, or back
 * @param bound     lower bound for any order of slices: the larger of the two
 * @param serial    computing, transfer up and transfer down, one after another
 * @param iteration predicted for this method
 */
record Forecast(double compute, double wire, double bound, double serial, double iteration) {
    private static final int ITERATIONS = 20;
    private static final double NS = 1e9;

    /**
     * Predicts a method over links of a rate. The first server counts, because no server owns more slices.
     */
    static Forecast of(TrainingPlan plan, SyncMethod method, long rate) {
        Wire wire = new Wire(rate, plan.workers(), plan.servers());
        double[][] slices = plan.model().layers().stream()
                .map(layer -> times(layer.elements(), method.sliceElements(), plan.servers(), wire))
                .toArray(double[][]::new);
        double[] forward = seconds(plan.model().forwardNs(plan.computeNs()));
        double[] backward = seconds(plan.model().backwardNs(plan.computeNs()));
        double compute = plan.computeNs() / NS;
        double transfer = Arrays.stream(slices).flatMapToDouble(Arrays::stream).sum();
        double iteration = new Schedule(forward, backward, slices, 1, method.byLayer()).run(ITERATIONS);
        return new Forecast(compute, transfer, Math.max(compute, transfer), compute + 2 * transfer, iteration);
    }

    /** Times of the slices of a layer that the first of the servers owns. */
    private static double[] times(int elements, int sliceElements, int servers, Wire wire) {
        int slices = Math.ceilDiv(elements, sliceElements);
        int owned = Math.ceilDiv(slices, servers);
        double[] times = new double[owned];
        for (int slice = 0; slice < owned; slice++) {
            times[slice] = wire.seconds(Math.min(sliceElements, elements - slice * sliceElements));
        }
        return times;
    }

    private static double[] seconds(long[] ns) {
        return Arrays.stream(ns).mapToDouble(time -> time / NS).toArray();
    }
}
