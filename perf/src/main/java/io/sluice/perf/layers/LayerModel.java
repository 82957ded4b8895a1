package io.sluice.perf.layers;

import io.sluice.tree.planning.ClockEstimate;
import java.util.List;

/**
 * The properties of a model that matter for synchronisation: the parameters and the computing share of each layer.
 *
 * @param scale  scale by which the parameters of each layer were divided
 * @param layers layers in the order of the forward pass
 */
record LayerModel(String name, int scale, List<Layer> layers) {
    /**
     * A layer of a model.
     *
     * @param elements number of parameters, biases included
     * @param work     multiply-adds of its forward pass for one sample, which determine its share of the time
     */
    record Layer(String name, int elements, double work) {}

    /** Maximum number by which the parameters of each layer are divided. */
    static final int MAX_SCALE = 4_096;

    /** A model by its name, with each layer's parameters divided by a scale. */
    static LayerModel named(String name, int scale) {
        List<Layer> layers = PublishedLayers.of(name).stream()
                .map(layer -> new Layer(layer.name(), Math.max(1, Math.ceilDiv(layer.elements(), scale)), layer.work()))
                .toList();
        return new LayerModel(name, scale, layers);
    }

    /** Number of parameters of all layers. */
    long elements() {
        return layers.stream().mapToLong(Layer::elements).sum();
    }

    int slices(int sliceElements) {
        return layers.stream()
                .mapToInt(layer -> Math.ceilDiv(layer.elements(), sliceElements))
                .sum();
    }

    /** The time of each layer's forward pass: a third of an iteration's computing, by multiply-adds. */
    long[] forwardNs(long computeNs) {
        double all = layers.stream().mapToDouble(Layer::work).sum();
        return layers.stream()
                .mapToLong(layer -> Math.round(computeNs * ClockEstimate.FORWARD * layer.work() / all))
                .toArray();
    }

    /** The time of each layer's backward pass, which computes two gradients: twice that of the forward pass. */
    long[] backwardNs(long computeNs) {
        long[] times = forwardNs(computeNs);
        for (int i = 0; i < times.length; i++) {
            times[i] *= 2;
        }
        return times;
    }
}
