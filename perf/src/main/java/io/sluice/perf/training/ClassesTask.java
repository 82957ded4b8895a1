package io.sluice.perf.training;

import io.sluice.samples.data.Dataset;
import io.sluice.samples.mlr.MlrModel;

/** Softmax regression; the loss is that of the held-out examples. */
final class ClassesTask implements ManagedTask {
    private final Dataset data;
    private final MlrModel model;

    /** Makes the task of a thread, which takes batches of this size. */
    ClassesTask(Dataset data, int batch) {
        this.data = data;
        model = new MlrModel(data, batch);
    }

    @Override
    public int parameters() {
        return model.size();
    }

    @Override
    public int examples() {
        return data.train().size();
    }

    @Override
    public void step(int[] rows, float[] w, double step, float[] update) {
        model.step(rows, step, w, update);
    }

    @Override
    public double loss(float[] w) {
        return MlrModel.loss(data, data.test(), w);
    }
}
