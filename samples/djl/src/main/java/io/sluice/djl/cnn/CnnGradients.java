package io.sluice.djl.cnn;

import ai.djl.ndarray.NDArray;
import ai.djl.nn.Parameter;
import ai.djl.training.ParameterStore;
import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.cnn.CnnTraining;
import io.sluice.samples.cnn.ImageGradients;
import io.sluice.samples.data.Dataset;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;

/** Gradients by PyTorch, which has one gradient collector in a process: threads that share this take turns. */
final class CnnGradients implements ImageGradients {
    private final ImageModel images;
    private final ParameterStore store;
    private final List<Parameter> parameters;
    private final float[] first;

    CnnGradients(Dataset data, CnnSettings settings) {
        images = new ImageModel(data, settings);
        images.initialise();
        store = new ParameterStore(images.model().getNDManager(), false);
        parameters = images.model().getBlock().getParameters().values();
        first = new float
                [parameters.stream()
                        .mapToInt(parameter -> (int) parameter.getShape().size())
                        .sum()];
        int at = 0;
        for (Parameter parameter : parameters) {
            FloatBuffer floats = values(parameter.getArray());
            int length = floats.remaining();
            floats.get(first, at, length);
            at += length;
        }
    }

    /** The memory of an array. */
    private static FloatBuffer values(NDArray array) {
        return array.toByteBuffer(true).asFloatBuffer();
    }

    @Override
    public float[] first() {
        return first.clone();
    }

    @Override
    public synchronized void gradient(int[] rows, float[] at, float[] gradient) {
        load(at);
        images.backward(store, rows);
        int from = 0;
        for (Parameter parameter : parameters) {
            try (NDArray own = parameter.getArray().getGradient()) {
                FloatBuffer floats = values(own);
                int length = floats.remaining();
                floats.get(gradient, from, length);
                for (int i = 0; i < length; i++) {
                    floats.put(i, 0); // gradients accumulate
                }
                from += length;
            }
        }
    }

    @Override
    public synchronized Quality quality(float[] at) {
        load(at);
        Map<String, Double> quality = images.quality();
        return new Quality(quality.get(CnnTraining.LOSS), quality.get(CnnTraining.ACCURACY));
    }

    private void load(float[] from) {
        int at = 0;
        for (Parameter parameter : parameters) {
            FloatBuffer floats = values(parameter.getArray());
            int length = floats.remaining();
            floats.put(from, at, length);
            at += length;
        }
    }
}
