package io.sluice.perf.layers;

import io.sluice.tree.planning.ClockEstimate;
import java.util.ArrayList;
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

    /** Three equal layers, P3's figure 4. */
    static final String THREE = "three";

    /** VGG-19 (Simonyan and Zisserman 2014, configuration E). */
    static final String VGG19 = "vgg19";

    /** Maximum number by which the parameters of each layer are divided. */
    static final int MAX_SCALE = 4_096;

    private static final int THREE_ELEMENTS = 1 << 24;
    /** Outputs of each convolution, by block of layers. */
    private static final int[] OUTPUTS = {64, 128, 256, 512, 512};

    private static final int[] CONVOLUTIONS = {2, 2, 4, 4, 4};
    private static final int[] WIDTHS = {224, 112, 56, 28, 14};
    private static final int KERNEL = 3 * 3;
    private static final int COLOURS = 3;
    /** Inputs of the first fully connected layer: 512 images of 7 x 7. */
    private static final int FLATTENED = 512 * 7 * 7;

    private static final int HIDDEN = 4_096;
    private static final int CLASSES = 1_000;

    /** A model by its name, with each layer's parameters divided by a scale. */
    static LayerModel named(String name, int scale) {
        return switch (name) {
            case THREE -> scaled(name, scale, three());
            case VGG19 -> scaled(name, scale, vgg19());
            default ->
                throw new IllegalArgumentException("'" + name + "' is not a model; expected " + THREE + " or " + VGG19);
        };
    }

    private static LayerModel scaled(String name, int scale, List<Layer> published) {
        LayerModel whole = new LayerModel(name, scale, published);
        List<Layer> layers = whole.layers.stream()
                .map(layer -> new Layer(layer.name(), Math.max(1, Math.ceilDiv(layer.elements(), scale)), layer.work()))
                .toList();
        return new LayerModel(name, scale, layers);
    }

    private static List<Layer> three() {
        return List.of(
                new Layer("first", THREE_ELEMENTS, 1),
                new Layer("second", THREE_ELEMENTS, 1),
                new Layer("third", THREE_ELEMENTS, 1));
    }

    private static List<Layer> vgg19() {
        List<Layer> layers = new ArrayList<>();
        int inputs = COLOURS;
        for (int block = 0; block < OUTPUTS.length; block++) {
            int outputs = OUTPUTS[block];
            double points = (double) WIDTHS[block] * WIDTHS[block];
            for (int i = 1; i <= CONVOLUTIONS[block]; i++) {
                int weights = KERNEL * inputs * outputs;
                layers.add(new Layer("conv" + (block + 1) + "_" + i, weights + outputs, weights * points));
                inputs = outputs;
            }
        }
        layers.add(connected("fc6", FLATTENED, HIDDEN));
        layers.add(connected("fc7", HIDDEN, HIDDEN));
        layers.add(connected("fc8", HIDDEN, CLASSES));
        return layers;
    }

    private static Layer connected(String name, int inputs, int outputs) {
        int weights = inputs * outputs;
        return new Layer(name, weights + outputs, weights);
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
