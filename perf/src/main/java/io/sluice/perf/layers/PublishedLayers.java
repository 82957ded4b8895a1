package io.sluice.perf.layers;

import io.sluice.perf.layers.LayerModel.Layer;
import java.util.ArrayList;
import java.util.List;

/**
 * The layers of published models, in the order of the forward pass. A layer is a convolution or a fully connected
 * layer, with its biases or the two numbers per output that batch normalisation trains. Layers of parallel branches
 * follow one another.
 */
final class PublishedLayers {
    /** Three equal layers, P3's figure 4. */
    static final String THREE = "three";

    /** VGG-19 (Simonyan and Zisserman 2014, configuration E). */
    static final String VGG19 = "vgg19";

    /** ResNet-110 for CIFAR-10 (He et al. 2016, section 4.2), the ResNet of 1.73 M parameters in MPS's table 1.1. */
    static final String RESNET110 = "resnet110";

    /** GoogLeNet without its auxiliary classifiers (Szegedy et al. 2015, table 1). */
    static final String GOOGLENET = "googlenet";

    /** Inception-v4 (Szegedy et al. 2017, figures 3 to 9), of 42.65 M parameters in MPS's table 1.1. */
    static final String INCEPTION_V4 = "inception-v4";

    /** All models. */
    static final List<String> NAMES = List.of(THREE, VGG19, RESNET110, GOOGLENET, INCEPTION_V4);

    private static final int EQUAL_ELEMENTS = 1 << 24;
    private static final int COLOURS = 3;
    private static final int CLASSES = 1_000;

    private final List<Layer> layers = new ArrayList<>();

    /** Trained numbers of each output of a convolution, besides its weights. */
    private final int perOutput;

    private PublishedLayers(int perOutput) {
        this.perOutput = perOutput;
    }

    /** The layers of a model by its name. */
    static List<Layer> of(String name) {
        return switch (name) {
            case THREE ->
                List.of(
                        new Layer("first", EQUAL_ELEMENTS, 1),
                        new Layer("second", EQUAL_ELEMENTS, 1),
                        new Layer("third", EQUAL_ELEMENTS, 1));
            case VGG19 -> vgg19();
            case RESNET110 -> resnet110();
            case GOOGLENET -> googlenet();
            case INCEPTION_V4 -> inceptionV4();
            default ->
                throw new IllegalArgumentException(
                        "'" + name + "' is not a model; expected one of " + String.join(", ", NAMES));
        };
    }

    private static List<Layer> vgg19() {
        PublishedLayers model = new PublishedLayers(1);
        int[] outputs = {64, 128, 256, 512, 512};
        int[] convolutions = {2, 2, 4, 4, 4};
        int[] widths = {224, 112, 56, 28, 14};
        int inputs = COLOURS;
        for (int block = 0; block < outputs.length; block++) {
            for (int i = 1; i <= convolutions[block]; i++) {
                inputs = model.convolution("conv" + (block + 1) + "_" + i, widths[block], inputs, outputs[block], 9);
            }
        }
        model.connected("fc6", 512 * 7 * 7, 4_096);
        model.connected("fc7", 4_096, 4_096);
        model.connected("fc8", 4_096, CLASSES);
        return model.layers;
    }

    private static List<Layer> resnet110() {
        PublishedLayers model = new PublishedLayers(2);
        int channels = model.convolution("conv1", 32, COLOURS, 16, 9);
        for (int stage = 0; stage < 3; stage++) {
            for (int i = 1; i <= 36; i++) {
                channels = model.convolution("conv" + (stage + 2) + "_" + i, 32 >> stage, channels, 16 << stage, 9);
            }
        }
        model.connected("fc", channels, 10);
        return model.layers;
    }

    private static List<Layer> googlenet() {
        PublishedLayers model = new PublishedLayers(1);
        model.convolution("conv1", 112, COLOURS, 64, 49);
        model.convolution("conv2_reduce", 56, 64, 64, 1);
        int channels = model.convolution("conv2", 56, 64, 192, 9);
        // outputs of 1x1, of the reduction before 3x3, 3x3, of the reduction before 5x5, 5x5, after pooling
        int[][] modules = {
            {64, 96, 128, 16, 32, 32},
            {128, 128, 192, 32, 96, 64},
            {192, 96, 208, 16, 48, 64},
            {160, 112, 224, 24, 64, 64},
            {128, 128, 256, 24, 64, 64},
            {112, 144, 288, 32, 64, 64},
            {256, 160, 320, 32, 128, 128},
            {256, 160, 320, 32, 128, 128},
            {384, 192, 384, 48, 128, 128}
        };
        for (int i = 0; i < modules.length; i++) {
            int[] outputs = modules[i];
            int width = i < 2 ? 28 : i < 7 ? 14 : 7;
            String name = "inception" + (i + 1) + "_";
            int one = model.convolution(name + "1x1", width, channels, outputs[0], 1);
            int three = model.branch(name + "3x3", width, channels, outputs[1], 1, outputs[2], 9);
            int five = model.branch(name + "5x5", width, channels, outputs[3], 1, outputs[4], 25);
            channels = one + three + five + model.convolution(name + "pool", width, channels, outputs[5], 1);
        }
        model.connected("fc", channels, CLASSES);
        return model.layers;
    }

    private static List<Layer> inceptionV4() {
        PublishedLayers model = new PublishedLayers(2);
        model.branch("stem1", 147, COLOURS, 32, 9, 32, 9, 64, 9);
        int channels = 64 + model.convolution("stem2", 73, 64, 96, 9);
        channels = model.branch("stem3a", 71, channels, 64, 1, 96, 9)
                + model.branch("stem3b", 71, 160, 64, 1, 64, 7, 64, 7, 96, 9);
        channels += model.convolution("stem4", 35, channels, 192, 9);
        for (int i = 1; i <= 4; i++) {
            channels = model.branch("a" + i + "_1", 35, channels, 96, 1)
                    + model.branch("a" + i + "_2", 35, channels, 64, 1, 96, 9)
                    + model.branch("a" + i + "_3", 35, channels, 64, 1, 96, 9, 96, 9)
                    + model.branch("a" + i + "_4", 35, channels, 96, 1);
        }
        channels += model.branch("reduction_a1", 17, channels, 384, 9)
                + model.branch("reduction_a2", 17, channels, 192, 1, 224, 9, 256, 9);
        for (int i = 1; i <= 7; i++) {
            channels = model.branch("b" + i + "_1", 17, channels, 384, 1)
                    + model.branch("b" + i + "_2", 17, channels, 192, 1, 224, 7, 256, 7)
                    + model.branch("b" + i + "_3", 17, channels, 192, 1, 192, 7, 224, 7, 224, 7, 256, 7)
                    + model.branch("b" + i + "_4", 17, channels, 128, 1);
        }
        channels += model.branch("reduction_b1", 8, channels, 192, 1, 192, 9)
                + model.branch("reduction_b2", 8, channels, 256, 1, 256, 7, 320, 7, 320, 9);
        for (int i = 1; i <= 3; i++) {
            int two = model.branch("c" + i + "_2", 8, channels, 384, 1);
            int three = model.branch("c" + i + "_3", 8, channels, 384, 1, 448, 3, 512, 3);
            channels = model.branch("c" + i + "_1", 8, channels, 256, 1)
                    + model.branch("c" + i + "_2a", 8, two, 256, 3)
                    + model.branch("c" + i + "_2b", 8, two, 256, 3)
                    + model.branch("c" + i + "_3a", 8, three, 256, 3)
                    + model.branch("c" + i + "_3b", 8, three, 256, 3)
                    + model.branch("c" + i + "_4", 8, channels, 256, 1);
        }
        model.connected("fc", channels, CLASSES);
        return model.layers;
    }

    /**
     * Adds convolutions that follow one another.
     *
     * @param pairs outputs and elements of the kernel of each
     * @return outputs of the last one
     */
    private int branch(String name, int width, int inputs, int... pairs) {
        int channels = inputs;
        for (int i = 0; i < pairs.length; i += 2) {
            channels = convolution(name + "_" + (i / 2 + 1), width, channels, pairs[i], pairs[i + 1]);
        }
        return channels;
    }

    private int convolution(String name, int width, int inputs, int outputs, int kernel) {
        int weights = kernel * inputs * outputs;
        layers.add(new Layer(name, weights + perOutput * outputs, (double) weights * width * width));
        return outputs;
    }

    private void connected(String name, int inputs, int outputs) {
        int weights = inputs * outputs;
        layers.add(new Layer(name, weights + outputs, weights));
    }
}
