package io.sluice.perf.layers;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Replica;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.cluster.Usage;
import io.sluice.perf.cluster.WorkerTask;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/** Measures how slices and their order speed up the training of layered models. */
public final class Layers extends Experiment<Layers.Variant> {

    /** Number of elements after which values of gradients repeat. */
    private static final int PERIOD = 7;

    /** Unit of the values, whose small multiples add up without rounding. */
    private static final float UNIT = 1f / (1 << 12);

    private static final int MOST_ITERATIONS = 10_000;

    /** Capacity of a link's queue as a time: enough for one frame from each worker at once. */
    private static final Duration QUEUE = Duration.ofMillis(200);

    /** Maximum number of frames in an outbox. */
    private static final int MOST_FRAMES = 16_384;

    /** Factor below which a gain counts as none. */
    private static final double NOTHING = 1.03;

    /** Ratio to the forecast above which an iteration was delayed by effects outside the schedule. */
    private static final double MISSED = 1.05;

    private static final Parameter<String> MODEL = Parameter.choice(
                    "model", PublishedLayers.VGG19, PublishedLayers.NAMES)
            .help("three (equal layers), vgg19, resnet110, googlenet or inception-v4");
    private static final Parameter<Integer> SCALE = Parameter.whole("scale", 64, 1, LayerModel.MAX_SCALE)
            .help("Divisor of the parameters of each layer; undivided, vgg19 has 143,667,240");
    private static final Parameter<List<Long>> RATES = Parameter.rate("rates", null)
            .several("50mbit,100mbit,200mbit,400mbit")
            .help("Rates of each host's link");
    private static final Parameter<List<Integer>> SLICE = Parameter.whole(
                    "slice", 4_096, 1, SyncMethod.BASELINE.sliceElements())
            .several()
            .help("Parameters of a slice; the first size is also sent in order fifo, and all by layer");
    private static final Parameter<List<String>> PLACEMENT = Parameter.text("placement", "NAME", "uniform")
            .several()
            .help("Placements of slices on servers; several are compared by layer only");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 2, 1, TrainingPlan.MAX_NODES).help("Workers");
    private static final Parameter<Integer> SERVERS =
            Parameter.whole("servers", 1, 1, TrainingPlan.MAX_NODES).help("Servers");
    private static final Parameter<Long> COMPUTE = Parameter.time("compute", "600ms", Duration.ofMinutes(1))
            .help("Computing of an iteration, a third of it forward");
    private static final Parameter<Integer> BATCH = Parameter.whole("batch", 32, 1, 1_000_000)
            .help("Samples that a worker has in an iteration, for throughput");
    private static final Parameter<Integer> ITERATIONS =
            Parameter.whole("iterations", 3, 1, MOST_ITERATIONS).help("Measured iterations in each turn");
    private static final Parameter<Integer> WARMUP = Parameter.whole("warmup", 1, 1, MOST_ITERATIONS)
            .help("Warm-up iterations in each turn; the first one waits for nothing");
    private static final Parameter<Boolean> NO_RECEIVE = Parameter.flag("no-receive")
            .help("Workers receive nothing while they compute, as trainers that only sync do");

    public static final Scenario SCENARIO = new Scenario(
            "layers",
            List.of(
                    "Trains a model of simulated layers over links of stated rates, by layer (P3) and in whole layers.",
                    "Layers only take time; gradients, servers and links are real. The defaults take about three"
                            + " minutes.",
                    "Needs Linux and root: each server and worker runs on a host of a network lab."),
            2,
            Parameter.declaredBy(Layers.class),
            new Layout(
                    Layers::title,
                    columns(),
                    List.of(
                            new Curves(
                                    "rate",
                                    row -> row.text("model") + " over lab links",
                                    new Curves.Axis("rate", "Mbit/s of each link", 1 / MEGA),
                                    new Curves.Axis("samples_per_s", "samples a second", 1),
                                    row -> row.text("method") + " (" + row.text("slice") + ")"),
                            new Curves(
                                            "slice",
                                            row -> row.text("model") + ", order layer",
                                            new Curves.Axis("slice", "parameters of a slice", 1),
                                            new Curves.Axis("samples_per_s", "samples a second", 1),
                                            row -> row.mbit("rate"))
                                    .of(row -> row.text("order").equals(SyncMethod.LAYER)))),
            Layers::new);

    private final TrainingPlan plan;
    private Cluster cluster;

    /**
     * Seconds of each measured iteration of a worker.
     *
     * @param iterations from the end of one backward pass to that of the next
     * @param delays     part of each before the first layer had arrived, P3's delay between iterations
     * @param waits      part of each before any layer had arrived, the delay included
     */
    record Times(double[] iterations, double[] delays, double[] waits) {}

    /** A method and a placement at a rate of each link, in bits per second. */
    record Variant(long rate, String placement, SyncMethod method) {}

    private Layers(Settings settings) {
        super(settings);
        plan = new TrainingPlan(LayerModel.named(get(MODEL), get(SCALE)), get(WORKERS), get(SERVERS), get(COMPUTE));
    }

    private static List<Column> columns() {
        return Column.list(
                Column.facts("model", "scale", "elements", "workers", "servers", "rate"),
                Column.fact("method")
                        .shown("method")
                        .note("whole layers, fifo: slices of 65,536, in the order of gradients"),
                Column.fact("slice").shown("slice", "%,.0f"),
                Column.facts("order", "compute_ms"),
                Column.fact("placement").shown("placement"),
                Column.fact("load_variation")
                        .shown("load variation %", "%,.1f")
                        .note("standard deviation of the parameters of a server, of their mean"),
                Column.fact("wire_ms").shown("wire ms", "%,.0f").note("in each direction"),
                Column.fact("bound_ms")
                        .shown("bound", "%,.0f")
                        .note("the larger of computing and one direction of the wire"),
                Column.fact("serial_ms"),
                Column.median("iteration_ms")
                        .shown("iteration ms", "%,.0f")
                        .note("from the end of one backward pass to that of the next, all workers"),
                Column.quartiles("iteration_low_ms", "iteration_high_ms", "iteration_ms", "%,.0f", 1),
                Column.mean("iteration_mean_ms", "iteration_ms").shown("mean", "%,.0f"),
                Column.fact("forecast_ms")
                        .shown("forecast", "%,.0f")
                        .note("the schedule of computing, transfer up and transfer down, one slice at a time on each,"
                                + " with equal shares of the servers"),
                Column.median("delay_ms")
                        .shown("delay ms", "%,.0f")
                        .note("part of the iteration spent waiting for the first layer"),
                Column.median("wait_ms")
                        .shown("waits ms", "%,.0f")
                        .note("part of the iteration spent waiting for layers, the first included"),
                Column.count("iterations", "iteration_ms"),
                Column.fact("batch"),
                Column.derived(
                                "samples_per_s",
                                row -> MS * row.number("workers") * row.number("batch") / row.number("iteration_ms"))
                        .shown("samples/s", "%,.1f"),
                Column.derived(
                                "ratio_to_baseline",
                                (row, rows) -> row.partner(rows, Layers::isBaseline, "rate")
                                        .over(row, "iteration_ms"))
                        .shown("/ baseline", "%.2f"),
                Column.derived("ratio_to_best_placement", Layers::ratioToBest)
                        .shown("/ best placement", "%.2f")
                        .note("time of the best placement over the time of this one"),
                Column.fact("ratio_forecast").shown("forecast", "%.2f"),
                Column.sum("dropped").whole().shown("dropped", "%,.0f"));
    }

    private static String title(Row row) {
        return String.format(
                "%s over links of %s: computing %.0f ms",
                row.text("model"), row.mbit("rate"), row.number("compute_ms"));
    }

    /** The least time of several placements with the same slices, over that of a row. */
    private static Double ratioToBest(Row row, List<Row> rows) {
        if (rows.stream().map(each -> each.text("placement")).distinct().count() < 2) {
            return Double.NaN;
        }
        double best = rows.stream()
                .filter(each -> Stream.of("model", "rate", "slice", "order")
                        .allMatch(fact -> each.text(fact).equals(row.text(fact))))
                .mapToDouble(each -> each.number("iteration_ms"))
                .min()
                .orElse(Double.NaN);
        return best / row.number("iteration_ms");
    }

    private static boolean isBaseline(Row row) {
        return row.text("order").equals(SyncMethod.FIFO) && row.number("slice") == SyncMethod.BASELINE.sliceElements();
    }

    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        List<String> placements = get(PLACEMENT);
        List<SyncMethod> methods =
                placements.size() > 1 ? SyncMethod.byLayer(get(SLICE)) : SyncMethod.compared(get(SLICE));
        for (long rate : get(RATES)) {
            for (SyncMethod method : methods) {
                placements.forEach(placement -> variants.add(new Variant(rate, placement, method)));
            }
        }
        return variants;
    }

    @Override
    public String introduction() {
        LayerModel shape = plan.model();
        LayerModel.Layer largest = shape.layers().stream()
                .max(Comparator.comparingInt(LayerModel.Layer::elements))
                .orElseThrow();
        return String.format(
                "%s at 1/%d: %d layers, %,d parameters, %s has %,d of them; %d workers, %d servers; queues of links"
                        + " hold %d ms, each data link is paced at its share",
                shape.name(),
                shape.scale(),
                shape.layers().size(),
                shape.elements(),
                largest.name(),
                largest.elements(),
                plan.workers(),
                plan.servers(),
                QUEUE.toMillis());
    }

    @Override
    public void open() throws IOException, InterruptedException {
        cluster = closing(Cluster.build(new Star(
                plan.servers(),
                plan.workers(),
                get(RATES).getFirst(),
                1_500,
                new Driver.Context().udpBatch(),
                QUEUE,
                false,
                List.of())));
    }

    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        cluster.lab().links().forEach(link -> link.rate(variant.rate()));
        // The outbox has room for all waiting frames of a worker, so no update waits for a link.
        int frames = Math.clamp(plan.model().slices(variant.method().sliceElements()) + 1L, 2, MOST_FRAMES);
        Usage before = cluster.usage();
        List<Times> seen = cluster.run(
                        plan.terms(variant.method(), variant.placement(), variant.rate()),
                        0,
                        _ -> {},
                        worker -> worker.outboxFrames(frames),
                        new Trainer())
                .seen();
        return List.of(sample(plan, variant, seen)
                .figure("dropped", cluster.usage().since(before).dropped()));
    }

    static Sample sample(TrainingPlan plan, Variant variant, List<Times> seen) {
        Forecast forecast = Forecast.of(plan, variant.method(), variant.rate());
        double baseline = Forecast.of(plan, SyncMethod.BASELINE, variant.rate()).iteration();
        return new Sample()
                .fact("elements", plan.model().elements())
                .fact("rate", variant.rate())
                .fact("method", variant.method().words())
                .fact("slice", variant.method().sliceElements())
                .fact("order", variant.method().order())
                .fact("placement", variant.placement())
                .fact("load_variation", PERCENT * plan.loadVariation(variant.method(), variant.placement()))
                .fact("compute_ms", MS * forecast.compute())
                .fact("wire_ms", MS * forecast.wire())
                .fact("bound_ms", MS * forecast.bound())
                .fact("serial_ms", MS * forecast.serial())
                .fact("forecast_ms", MS * forecast.iteration())
                .fact("ratio_forecast", baseline / forecast.iteration())
                .figure("iteration_ms", ms(seen, Times::iterations))
                .figure("delay_ms", ms(seen, Times::delays))
                .figure("wait_ms", ms(seen, Times::waits));
    }

    private static double[] ms(List<Times> seen, Function<Times, double[]> seconds) {
        return seen.stream()
                .flatMapToDouble(times -> Arrays.stream(seconds.apply(times)))
                .map(value -> MS * value)
                .toArray();
    }

    /** For each rate a sentence: the gains of order and slices, or the reason for none. */
    @Override
    public List<String> conclusions(List<Row> rows) {
        return conclusionsOf(rows);
    }

    static List<String> conclusionsOf(List<Row> rows) {
        Map<String, List<Row>> byRate = new LinkedHashMap<>();
        rows.forEach(row -> byRate.computeIfAbsent(row.text("rate"), rate -> new ArrayList<>())
                .add(row));
        return byRate.values().stream()
                .filter(some -> some.stream().anyMatch(Layers::isBaseline)
                        && some.stream().anyMatch(row -> row.text("order").equals(SyncMethod.LAYER)))
                .map(Layers::conclusion)
                .toList();
    }

    private static String conclusion(List<Row> rows) {
        Row baseline = rows.stream().filter(Layers::isBaseline).findFirst().orElseThrow();
        Row sliced = rows.stream()
                .filter(row -> row.text("order").equals(SyncMethod.FIFO) && !isBaseline(row))
                .findFirst()
                .orElse(baseline);
        Row best = rows.stream()
                .filter(row -> row.text("order").equals(SyncMethod.LAYER))
                .min(Comparator.comparingDouble(row -> row.number("iteration_ms")))
                .orElseThrow();
        String gains = String.format(
                "%s, %s: slices alone %+.0f %% throughput, slices of %,.0f by layer %+.0f %% (forecast %+.0f %%)",
                baseline.text("model"),
                baseline.mbit("rate"),
                PERCENT * (sliced.number("ratio_to_baseline") - 1),
                best.number("slice"),
                PERCENT * (best.number("ratio_to_baseline") - 1),
                PERCENT * (best.number("ratio_forecast") - 1));
        return best.number("ratio_to_baseline") >= NOTHING ? gains : gains + "; " + reason(baseline, best);
    }

    private static String reason(Row baseline, Row best) {
        if (best.number("iteration_ms") > MISSED * best.number("forecast_ms")) {
            return String.format(
                    "%.0f ms instead of the forecast's %.0f", best.number("iteration_ms"), best.number("forecast_ms"));
        }
        if (baseline.number("forecast_ms") < NOTHING * baseline.number("bound_ms")) {
            return String.format(
                    "whole layers are at the bound already: %s takes %.0f of %.0f ms",
                    baseline.number("compute_ms") >= baseline.number("wire_ms") ? "computing" : "the wire",
                    baseline.number("bound_ms"),
                    baseline.number("forecast_ms"));
        }
        return String.format(
                "in either order all wait for the wire, %.0f ms in each direction, and only the forward pass, %.0f ms,"
                        + " could be hidden behind it",
                baseline.number("wire_ms"), baseline.number("compute_ms") / 3);
    }

    private static float gradient(int layer, int element) {
        return (1 + (layer + element) % PERIOD) * UNIT;
    }

    /**
     * A worker whose layers only take time: it sleeps, as the thread that feeds a GPU does. Its gradients are real,
     * dense and exact, so that it can check the replica.
     */
    private final class Trainer implements WorkerTask<Times> {
        private final LayerModel model = plan.model();
        private final long[] forwardNs = model.forwardNs(plan.computeNs());
        private final long[] backwardNs = model.backwardNs(plan.computeNs());
        private final float[][] gradients = new float[model.layers().size()][];

        /** Prepares gradients, which all workers share. */
        Trainer() {
            for (int layer = 0; layer < gradients.length; layer++) {
                gradients[layer] = new float[model.layers().get(layer).elements()];
                for (int i = 0; i < gradients[layer].length; i++) {
                    gradients[layer][i] = gradient(layer, i);
                }
            }
        }

        @Override
        public Times train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
            int iterations = get(ITERATIONS);
            Times times = new Times(new double[iterations], new double[iterations], new double[iterations]);
            Table[] tables = new Table[gradients.length];
            for (int layer = 0; layer < tables.length; layer++) {
                tables[layer] = worker.table(model.layers().get(layer).name(), 1, gradients[layer].length);
            }
            worker.start(Initialiser.ZEROS);
            long endNs = System.nanoTime();
            for (int i = -get(WARMUP); i < iterations; i++) {
                long startNs = endNs;
                long delayNs = await(tables[0]);
                long waitNs = delayNs + forward(tables);
                backward(tables);
                worker.clock();
                endNs = System.nanoTime();
                if (i >= 0) {
                    times.iterations[i] = (endNs - startNs) / NS;
                    times.delays[i] = delayNs / NS;
                    times.waits[i] = waitNs / NS;
                }
            }
            worker.drain();
            int clocks = worker.workers() * (get(WARMUP) + iterations);
            for (int i = 0; i < tables.length; i++) {
                int layer = i;
                Replica.require(tables[layer], element -> clocks * gradient(layer, element));
            }
            return times;
        }

        /** Performs the forward pass, once the first layer has arrived; returns the wait for the other layers. */
        private long forward(Table[] tables) throws InterruptedException {
            long waitNs = 0;
            for (int layer = 0; layer < tables.length; layer++) {
                waitNs += layer == 0 ? 0 : await(tables[layer]);
                compute(forwardNs[layer], tables[layer]);
            }
            return waitNs;
        }

        private void backward(Table[] tables) throws InterruptedException {
            for (int layer = tables.length - 1; layer >= 0; layer--) {
                compute(backwardNs[layer], tables[layer]);
                tables[layer].update(gradients[layer]);
            }
        }

        private static long await(Table table) {
            long startNs = System.nanoTime();
            table.sync();
            return System.nanoTime() - startNs;
        }

        /** Sleeps and receives: {@code sync} of a version that has arrived does not wait. */
        private void compute(long ns, Table there) throws InterruptedException {
            if (get(NO_RECEIVE)) {
                TimeUnit.NANOSECONDS.sleep(ns);
            } else {
                WorkerTask.compute(ns, there::sync);
            }
        }
    }
}
