package io.sluice.perf.training;

import io.sluice.consistency.worker.Table;
import io.sluice.samples.data.PlantedRatings;
import io.sluice.samples.data.RatingSet;
import io.sluice.samples.data.RatingsFile;
import io.sluice.samples.mf.MfEvaluation;
import io.sluice.samples.mf.MfSettings;
import io.sluice.samples.mf.MfTrainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Factorisation of ratings, with the trainer of {@code train mf}. */
final class RatingJob {
    private static final int RANK = 40;
    private static final double LAMBDA = 0.05;

    private RatingJob() {}

    /**
     * Reads the ratings.
     *
     * @param data folder of the ratings; {@code null} for planted ones
     */
    static Job of(Path data, int clocksPerPass, double learningRate, long seed) throws IOException {
        RatingSet ratings = null == data ? PlantedRatings.LIKE_MOVIELENS.generate(seed) : RatingsFile.read(data);
        IntFunction<MfSettings> settings = clocks ->
                new MfSettings(RANK, LAMBDA, Math.ceilDiv(clocks, clocksPerPass), clocksPerPass, learningRate, seed);
        int parameters = (ratings.users() + ratings.items()) * RANK;
        return new Job(
                ratings.name(),
                "sum of squared training errors",
                "root of the mean squared error of held-out ratings",
                parameters,
                values -> {
                    MfEvaluation quality = MfEvaluation.of(ratings, settings.apply(1), values);
                    return new Job.Quality(quality.trainError(), quality.testRmse());
                },
                Job.EQUAL_STEPS,
                (worker, clocks, _) -> {
                    MfTrainer trainer = new MfTrainer(worker, ratings, settings.apply(clocks));
                    return new Job.Training(
                            trainer.tables(),
                            course -> trainer.train(new Updates(course, trainer.tables(), parameters)));
                });
    }

    /** Reports clocks to a course, and the update of each clock if the course is watched. */
    private static final class Updates implements MfTrainer.Progress {
        private final Course course;
        private final List<Table> tables;

        /** What the filters held back before the clock. */
        private final float[] heldBack;

        private final float[] pending;

        Updates(Course course, List<Table> tables, int parameters) {
            this.course = course;
            this.tables = tables;
            this.heldBack = new float[parameters];
            this.pending = new float[parameters];
        }

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
            course.onClock(clock, rmse);
            if (course.isWatched()) {
                copyPending(heldBack);
            }
        }

        private void copyPending(float[] target) {
            int at = 0;
            for (Table table : tables) {
                int elements = (int) table.spec().elements();
                table.pending().copyTo(0, target, at, elements);
                at += elements;
            }
        }

        @Override
        public void onPass(int pass, Supplier<MfEvaluation> evaluation) {}
    }
}
