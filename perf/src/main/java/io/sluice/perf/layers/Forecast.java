package io.sluice.perf.layers;

import io.sluice.tree.planning.ClockEstimate;
import java.util.ArrayList;
import java.util.List;

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
    private static final double NS = 1e9;

    /** Predicts a method over links of a rate. */
    static Forecast of(TrainingPlan plan, SyncMethod method, long rate) {
        List<LayerModel.Layer> model = plan.model().layers();
        long[] forward = plan.model().forwardNs(plan.computeNs());
        long[] backward = plan.model().backwardNs(plan.computeNs());
        int slice = method.sliceElements();
        double all = model.stream()
                .mapToDouble(layer -> Wire.bytes(layer.elements(), slice))
                .sum();
        List<ClockEstimate.Layer> layers = new ArrayList<>();
        for (int i = 0; i < forward.length; i++) {
            int elements = model.get(i).elements();
            layers.add(new ClockEstimate.Layer(
                    forward[i] / NS,
                    backward[i] / NS,
                    Wire.bytes(elements, slice) / all,
                    Math.ceilDiv(Math.ceilDiv(elements, slice), plan.servers())));
        }
        ClockEstimate links = new Wire(rate, plan.workers(), plan.servers()).estimate(all, slice);
        double compute = plan.computeNs() / NS;
        double wire = links.pushSeconds();
        double iteration = links.seconds(layers, method.byLayer(), 0);
        return new Forecast(compute, wire, Math.max(compute, wire), compute + 2 * wire, iteration);
    }
}
