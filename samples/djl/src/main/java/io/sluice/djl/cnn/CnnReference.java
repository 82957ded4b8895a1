package io.sluice.djl.cnn;

import ai.djl.ndarray.NDArray;
import ai.djl.nn.Parameter;
import ai.djl.training.ParameterStore;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.djl.SluiceParameterServer;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.cnn.CnnTraining;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.BatchOrder;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentReference;
import io.sluice.samples.descent.SharedBatches;
import java.nio.FloatBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Trains in one process, without Sluice: the batches of all workers in turn, their updates summed in worker order. */
final class CnnReference implements AutoCloseable {
    private final ImageModel images;
    private final ParameterStore store;
    private final Map<Parameter, float[]> sums = new LinkedHashMap<>();
    private final Map<Parameter, float[]> updates = new LinkedHashMap<>();

    private CnnReference(Dataset data, CnnSettings settings) {
        images = new ImageModel(data, settings);
        images.initialise();
        store = new ParameterStore(images.model().getNDManager(), false);
        for (Parameter parameter : images.model().getBlock().getParameters().values()) {
            int length = (int) parameter.getShape().size();
            sums.put(parameter, new float[length]);
            updates.put(parameter, new float[length]);
        }
    }

    static CnnTraining.Trained train(
            Dataset data,
            CnnSettings settings,
            List<WorkerSet> workerSets,
            DescentProgress progress,
            UpdateListener listener) {
        List<BatchOrder> workers = List.of();
        int known = 0;
        try (CnnReference reference = new CnnReference(data, settings)) {
            for (int clock = 1; clock <= settings.clocks(); clock++) {
                if (known < workerSets.size() && workerSets.get(known).since() <= clock) {
                    workers = DescentReference.orders(
                            workerSets.subList(0, ++known),
                            worker -> new SharedBatches(data.train().size(), worker, settings.descent()));
                }
                float factor = (float) -((double) (float) settings.descent().learningRate() / workers.size());
                float first = 0;
                for (BatchOrder worker : workers) {
                    float loss = reference.add(worker.rows(clock, 0), factor);
                    if (worker == workers.getFirst()) {
                        first = loss;
                        listener.onUpdate(clock, reference.inTables(reference.updates));
                    }
                }
                reference.apply();
                progress.onClock(clock, first);
            }
            return new CnnTraining.Trained(reference.parameters(), reference.images.quality());
        }
    }

    /** Adds the update of a worker; returns its loss. */
    private float add(int[] rows, float factor) {
        float loss = images.backward(store, rows);
        for (Parameter parameter : sums.keySet()) {
            float[] update = updates.get(parameter);
            float[] sum = sums.get(parameter);
            try (NDArray gradient = parameter.getArray().getGradient()) {
                FloatBuffer floats = gradient.toByteBuffer(true).asFloatBuffer();
                for (int i = 0; i < sum.length; i++) {
                    update[i] = factor * floats.get(i);
                    sum[i] += update[i];
                    floats.put(i, 0);
                }
            }
        }
        return loss;
    }

    /** Adds the sums to the parameters, and begins new ones. */
    private void apply() {
        sums.forEach((parameter, sum) -> {
            FloatBuffer floats = parameter.getArray().toByteBuffer(true).asFloatBuffer();
            for (int i = 0; i < sum.length; i++) {
                floats.put(i, floats.get(i) + sum[i]);
                sum[i] = 0;
            }
        });
    }

    private float[] inTables(Map<Parameter, float[]> values) {
        return SluiceParameterServer.inTables(images.model().getBlock(), values::get);
    }

    private float[] parameters() {
        return SluiceParameterServer.inTables(
                images.model().getBlock(), parameter -> parameter.getArray().toFloatArray());
    }

    @Override
    public void close() {
        images.close();
    }
}
