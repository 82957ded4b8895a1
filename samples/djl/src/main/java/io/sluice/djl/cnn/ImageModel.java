package io.sluice.djl.cnn;

import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.pooling.Pool;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.training.loss.Loss;
import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.cnn.CnnTraining;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Examples;
import java.util.Map;
import java.util.stream.IntStream;

/** A network and the images that it learns from. */
final class ImageModel implements AutoCloseable {
    static final int SIDE = 28;
    private static final int PIXELS = SIDE * SIDE;
    private static final int CLASSES = 10;
    private static final int EVALUATED_AT_ONCE = 256;

    private final Dataset data;
    private final Model model;
    private final Loss loss = Loss.softmaxCrossEntropyLoss();
    private final int batch;

    /** Creates a network whose first values depend on the seed alone. */
    ImageModel(Dataset data, CnnSettings settings) {
        if (data.features() != PIXELS || data.classes() > CLASSES) {
            throw new IllegalArgumentException(
                    "the data set %s has %d pixels and %d classes, expected %d and at most %d"
                            .formatted(data.name(), data.features(), data.classes(), PIXELS, CLASSES));
        }
        this.data = data;
        this.batch = settings.descent().batch();
        Engine.getInstance().setRandomSeed((int) settings.seed());
        model = Model.newInstance(settings.network().name());
        model.setBlock(settings.network() == CnnSettings.Network.LENET ? lenet() : wide());
    }

    private static Block lenet() {
        return new SequentialBlock()
                .add(convolution(6, 5, 2))
                .add(Activation::relu)
                .add(halved())
                .add(convolution(16, 5, 0))
                .add(Activation::relu)
                .add(halved())
                .add(Blocks.batchFlattenBlock())
                .add(dense(120))
                .add(Activation::relu)
                .add(dense(84))
                .add(Activation::relu)
                .add(dense(CLASSES));
    }

    private static Block wide() {
        return new SequentialBlock()
                .add(convolution(32, 3, 0))
                .add(Activation::relu)
                .add(convolution(64, 3, 0))
                .add(Activation::relu)
                .add(halved())
                .add(Blocks.batchFlattenBlock())
                .add(dense(128))
                .add(Activation::relu)
                .add(dense(CLASSES));
    }

    private static Block convolution(int filters, int side, int padding) {
        return Conv2d.builder()
                .setFilters(filters)
                .setKernelShape(new Shape(side, side))
                .optPadding(new Shape(padding, padding))
                .build();
    }

    private static Block halved() {
        return Pool.maxPool2dBlock(new Shape(2, 2), new Shape(2, 2));
    }

    private static Block dense(int units) {
        return Linear.builder().setUnits(units).build();
    }

    Model model() {
        return model;
    }

    Loss loss() {
        return loss;
    }

    /** The shape of a batch. */
    Shape shape() {
        return new Shape(batch, 1, SIDE, SIDE);
    }

    /** Initialises the parameters in memory of PyTorch. */
    void initialise() {
        model.getBlock().initialize(model.getNDManager(), DataType.FLOAT32, shape());
    }

    /** Training images. */
    NDList images(NDManager manager, int[] rows) {
        return images(manager, data.train(), rows);
    }

    private static NDList images(NDManager manager, Examples examples, int[] rows) {
        float[] pixels = new float[rows.length * PIXELS];
        for (int i = 0; i < rows.length; i++) {
            examples.addTo(rows[i], 1, pixels, i * PIXELS);
        }
        return new NDList(manager.create(pixels, new Shape(rows.length, 1, SIDE, SIDE)));
    }

    /** The labels of training images. */
    NDList labels(NDManager manager, int[] rows) {
        return labels(manager, data.train(), rows);
    }

    private static NDList labels(NDManager manager, Examples examples, int[] rows) {
        float[] labels = new float[rows.length];
        for (int i = 0; i < rows.length; i++) {
            labels[i] = examples.label(rows[i]);
        }
        return new NDList(manager.create(labels));
    }

    /**
     * Adds the gradients of a batch of training images to the gradients of the parameters; returns the loss of the
     * batch.
     */
    float backward(ParameterStore store, int[] rows) {
        try (NDManager scope = model.getNDManager().newSubManager()) {
            NDList pixels = images(scope, rows);
            NDList labels = labels(scope, rows);
            try (GradientCollector collector = Engine.getInstance().newGradientCollector()) {
                NDList answers = model.getBlock().forward(store, pixels, labels, null);
                NDArray value = loss.evaluate(labels, answers);
                collector.backward(value);
                return value.toFloatArray()[0];
            }
        }
    }

    /** Loss and accuracy on the held-out images. */
    Map<String, Double> quality() {
        Examples test = data.test();
        double sum = 0;
        long correct = 0;
        ParameterStore store = new ParameterStore(model.getNDManager(), false);
        for (int from = 0; from < test.size(); from += EVALUATED_AT_ONCE) {
            int[] rows = IntStream.range(from, Math.min(from + EVALUATED_AT_ONCE, test.size()))
                    .toArray();
            try (NDManager scope = model.getNDManager().newSubManager()) {
                NDList labels = labels(scope, test, rows);
                NDList answers = model.getBlock().forward(store, images(scope, test, rows), false);
                sum += rows.length * loss.evaluate(labels, answers).toFloatArray()[0];
                NDArray found = answers.singletonOrThrow().argMax(1).toType(DataType.FLOAT32, false);
                correct += found.eq(labels.singletonOrThrow()).countNonzero().toLongArray()[0];
            }
        }
        return Map.of(CnnTraining.LOSS, sum / test.size(), CnnTraining.ACCURACY, (double) correct / test.size());
    }

    @Override
    public void close() {
        model.close();
    }
}
