package io.sluice.spark.lr;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Examples;
import io.sluice.samples.descent.Batches;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.LrTrainer;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** Logistic regression whose workers have a partition of the examples each. */
final class LrPartitions {
    private LrPartitions() {}

    /** An example: its label, and the features that are not 0. */
    record Example(float label, int[] indices, float[] values) implements Serializable {}

    /** The training examples; partition k has those of worker k of {@code train lr}, in the order of that worker. */
    static JavaRDD<Example> of(JavaSparkContext spark, Dataset data, int workers, DescentSettings settings) {
        List<List<Example>> parts = IntStream.range(0, workers)
                .mapToObj(worker -> new Batches(data.train().size(), worker, workers, settings))
                .map(batches -> examples(data.train(), batches))
                .toList();
        return spark.parallelize(parts, workers).flatMap(List::iterator);
    }

    /** The examples of one worker. */
    static List<Example> examples(Examples all, Batches batches) {
        return Arrays.stream(batches.examples())
                .mapToObj(row -> new Example(all.label(row), all.indices(row), all.values(row)))
                .toList();
    }

    /** Trains as one worker; returns the weights. */
    static float[] train(
            Worker worker,
            Iterator<Example> partition,
            int features,
            DescentSettings settings,
            DescentProgress progress) {
        Examples.Builder rows = new Examples.Builder();
        partition.forEachRemaining(example -> {
            for (int i = 0; i < example.indices().length; i++) {
                rows.add(example.indices()[i], example.values()[i]);
            }
            rows.endRow(example.label());
        });
        Examples none = new Examples.Builder().build();
        Dataset own = new Dataset("partition " + worker.index(), features, rows.build(), none);
        FloatView weights = new LrTrainer(worker, own, settings)
                .train(new Batches(own.train().size(), settings), _ -> {}, progress);
        float[] model = new float[features];
        weights.copyTo(0, model);
        return model;
    }
}
