package io.sluice.samples.mf;

import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.data.RatingSet;
import java.util.List;
import java.util.function.Supplier;

/**
 * Factorises a matrix of ratings as one worker of a cluster. An iteration adds up the steps of many ratings, all with
 * the parameters as they were when it began, or with newer ones if the protocol sends parts of other workers early.
 */
public final class MfTrainer {
    /** Number of ratings between two polls of the links. */
    private static final int TOGETHER = 256;

    /** Receives the progress of the training. */
    public interface Progress {
        /**
         * Handles the begin of an iteration, with the parameters that it takes.
         *
         * @param clock number of the iteration, from 1
         */
        default void onRead(int clock) {}

        /**
         * Handles the end of the computation of an iteration, of which nothing has been pushed yet.
         *
         * @param clock number of the iteration, from 1
         */
        default void onComputed(int clock) {}

        /**
         * Handles the end of an iteration.
         *
         * @param clock its number, from 1
         * @param rmse root of the mean squared error of the worker's ratings, before the iteration's update
         */
        void onClock(int clock, double rmse);

        /**
         * Handles the end of a pass, whose updates are in the model as far as the consistency rule demands.
         *
         * @param pass its number, from 1
         * @param evaluation computes the quality of the model
         */
        void onPass(int pass, Supplier<MfEvaluation> evaluation);
    }

    private static final String USERS = "users";
    private static final String ITEMS = "items";

    private final Worker worker;
    private final RatingSet data;
    private final MfSettings settings;
    private final MfModel model;
    private final RatingOrder order;
    private final Table users;
    private final Table items;

    /**
     * Declares the model.
     *
     * @param worker connected, not started
     * @param data the same on all workers
     * @param settings the same on all workers
     */
    public MfTrainer(Worker worker, RatingSet data, MfSettings settings) {
        this.worker = worker;
        this.data = data;
        this.settings = settings;
        this.model = new MfModel(data.train(), settings, rate(USERS), rate(ITEMS));
        this.order = new RatingOrder(data.train().size(), worker.settings().workerPlaces(), settings);
        this.users = worker.table(USERS, data.users(), settings.rank());
        this.items = worker.table(ITEMS, data.items(), settings.rank());
    }

    private double rate(String table) {
        return settings.rate(worker.settings().table(table).rule());
    }

    /**
     * Trains to the end, or until the worker has left.
     *
     * @param progress called after each iteration and each pass
     */
    public void train(Progress progress) {
        worker.start(MfModel.firstValues(settings));
        int clock = (int) worker.completed();
        while (clock < settings.clocks() && worker.takesPart()) {
            users.sync();
            items.sync();
            if (clock > 0 && clock % settings.clocksPerPass() == 0) {
                progress.onPass(clock / settings.clocksPerPass(), this::evaluation);
            }
            progress.onRead(++clock);
            double rmse = takeRatings(clock);
            progress.onComputed(clock);
            worker.clock(); // pushes the steps of all rows
            progress.onClock(clock, rmse);
        }
        worker.drain();
        if (worker.takesPart()) {
            progress.onPass(settings.passes(), this::evaluation);
        }
    }

    private double takeRatings(int clock) {
        float[] user = new float[settings.rank()];
        float[] item = new float[settings.rank()];
        float[] userStep = new float[settings.rank()];
        float[] itemStep = new float[settings.rank()];
        WorkerSet workers = worker.workerSet();
        double squares = 0;
        int taken = 0;
        for (int at = order.first(clock, workers.rank(worker.index())); at < order.end(clock); at += workers.size()) {
            int rating = order.rating(at);
            users.getRow(data.train().user(rating), user);
            items.getRow(data.train().item(rating), item);
            double error = model.step(rating, user, item, userStep, itemStep);
            users.incRow(data.train().user(rating), userStep);
            items.incRow(data.train().item(rating), itemStep);
            squares += error * error;
            if (++taken % TOGETHER == 0) {
                worker.work();
                takeWhatHasArrived();
            }
        }
        return Math.sqrt(squares / taken);
    }

    /** Does nothing where parameters do not arrive on their own: a pull would fetch all of them. */
    private void takeWhatHasArrived() {
        if (worker.settings().protocol() != Protocol.PUSH_PULL) {
            users.sync();
            items.sync();
        }
    }

    private MfEvaluation evaluation() {
        return MfEvaluation.of(data, model, users::getRow, items::getRow);
    }

    /** The tables that are trained. */
    public List<Table> tables() {
        return List.of(users, items);
    }

    /**
     * Declares the terms that must be equal at all workers. A worker that differs is refused when it joins.
     *
     * @param context context of the worker, before it connects
     * @param data training data
     * @param settings settings of the training
     */
    public static void declare(WorkerContext context, RatingSet data, MfSettings settings) {
        context.declare("rank", settings.rank())
                .declare("lambda", settings.lambda())
                .declare("passes", settings.passes())
                .declare("clocks per pass", settings.clocksPerPass())
                .declare("learning rate", settings.learningRate())
                .declare("seed", settings.seed())
                .declare("training ratings", data.fingerprint());
    }
}
