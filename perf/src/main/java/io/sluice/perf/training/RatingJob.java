package io.sluice.perf.training;

import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.data.PlantedRatings;
import io.sluice.samples.data.RatingSet;
import io.sluice.samples.data.RatingsFile;
import io.sluice.samples.mf.MfEvaluation;
import io.sluice.samples.mf.MfSettings;
import io.sluice.samples.mf.MfTrainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Factorisation of ratings, with the trainer of {@code train mf}. */
final class RatingJob implements Job {
    private static final int RANK = 40;
    private static final double LAMBDA = 0.05;

    private final RatingSet ratings;
    private final int clocksPerPass;
    private final double learningRate;
    private final long seed;

    /**
     * Reads the ratings.
     *
     * @param data folder of the ratings; {@code null} for planted ones
     */
    RatingJob(Path data, int clocksPerPass, double learningRate, long seed) throws IOException {
        ratings = null == data ? PlantedRatings.LIKE_MOVIELENS.generate(seed) : RatingsFile.read(data);
        this.clocksPerPass = clocksPerPass;
        this.learningRate = learningRate;
        this.seed = seed;
    }

    private MfSettings settings(int clocks) {
        return new MfSettings(RANK, LAMBDA, Math.ceilDiv(clocks, clocksPerPass), clocksPerPass, learningRate, seed);
    }

    @Override
    public String dataset() {
        return ratings.name();
    }

    @Override
    public String objective() {
        return "sum of squared training errors";
    }

    @Override
    public String heldOut() {
        return "root of the mean squared error of held-out ratings";
    }

    @Override
    public Quality quality(float[] parameters) {
        MfEvaluation quality = MfEvaluation.of(ratings, settings(1), parameters);
        return new Quality(quality.trainError(), quality.testRmse());
    }

    @Override
    public int parameters() {
        return (ratings.users() + ratings.items()) * RANK;
    }

    @Override
    public Training declare(Worker worker, int clocks, int localSteps) {
        MfTrainer trainer = new MfTrainer(worker, ratings, settings(clocks));
        return new Training() {
            @Override
            public List<Table> tables() {
                return trainer.tables();
            }

            @Override
            public void train(Course course) {
                float[] heldBack = new float[parameters()];
                float[] pending = new float[parameters()];
                trainer.train(new MfTrainer.Progress() {
                    @Override
                    public void onRead(int clock) {
                        course.onRead(clock);
                    }

                    @Override
                    public void onComputed(int clock) {
                        if (course.isWatched()) {
                            copyPending(pending);
                            for (int i = 0; i < pending.length; i++) {
                                pending[i] -= heldBack[i];
                            }
                            course.onUpdate(clock, pending);
                        }
                        course.onComputed(clock);
                    }

                    @Override
                    public void onClock(int clock, double rmse) {
                        course.onClock(clock);
                        if (course.isWatched()) {
                            copyPending(heldBack);
                        }
                    }

                    private void copyPending(float[] target) {
                        int at = 0;
                        for (Table table : tables()) {
                            int elements = (int) table.spec().elements();
                            table.pending().copyTo(0, target, at, elements);
                            at += elements;
                        }
                    }

                    @Override
                    public void onPass(int pass, Supplier<MfEvaluation> evaluation) {}
                });
            }
        };
    }
}
