package io.sluice.perf.training;

import io.sluice.consistency.standard.FactorSelections;
import io.sluice.consistency.standard.Multicast;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Compares multicasts of vectors between workers by the clocks that they need (Orpheus, figures 10 to 12). Nothing that
 * it states is a time, so a busy machine changes nothing.
 */
public final class Multicasts extends Experiment<Multicasts.Variant> {
    private static final int MOST = 1_000_000;
    private static final String SEPARATOR = "/";
    private static final Parameter<List<String>> METHODS = Parameter.text("methods", "SELECTION/MULTICAST", null)
            .several(
                    ",",
                    "all/all,all/random:2;sync=8,all/fixed:2;sync=8,all/round-robin:2;sync=8,all/random:2;lossless")
            .help("Vectors to send, as for train mlr --factors, and their receivers, as for --multicast; the first"
                    + " is compared with");
    private static final Parameter<Integer> CLASSES =
            Parameter.whole("classes", 12, 2, MOST).help("Classes of the texts");
    private static final Parameter<Integer> WORDS =
            Parameter.whole("words", 12, 10, MOST).help("Words of the texts");
    private static final Parameter<Integer> EXAMPLES =
            Parameter.whole("examples", 2_400, 10, MOST).help("Pieces of texts");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 48, 1, MOST).help("Clocks of each training");
    private static final Parameter<Integer> BATCH =
            Parameter.whole("batch", 16, 1, 1 << 16).help("Examples of a worker in a clock");
    private static final Parameter<Double> LEARNING_RATE =
            Parameter.positive("learning-rate", 0.02).help("Step, as a multiple of the mean gradient of a mini-batch");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 8, 2, 64).help("Workers");
    private static final Parameter<Double> GOAL =
            Parameter.positive("goal", 1.1).help("Loss of the training examples to reach");
    private static final Parameter<Integer> LAST = Parameter.whole("last", 1, 1, MOST)
            .help("Clocks at the end over which the stated loss is the mean: those of one averaging");
    private static final Parameter<Integer> SLICE = Parameter.whole(
                    "slice", ClusterSettingsBuilder.DEFAULT_SLICE_ELEMENTS, 1, TableSpec.MAX_SLICE_ELEMENTS)
            .help("Floats in a slice, of which averages are taken in turn");
    private static final Parameter<Integer> SEEDS =
            Parameter.whole("seeds", 5, 1, 1_000).help("Orders of the examples, and of the draws of receivers");

    public static final Scenario SCENARIO = new Scenario(
            "multicasts",
            List.of(
                    "Trains softmax regression with vectors sent to some workers; compares clocks to a loss.",
                    "The trainer is that of train mlr, its nodes are threads of this process. The defaults take a few"
                            + " minutes."),
            1,
            Parameter.declaredBy(Multicasts.class, Planted.DECAY, Replicas.SAMPLE),
            new Layout(
                    row -> "softmax regression",
                    columns(),
                    List.of(new Curves(
                                    "",
                                    row -> "softmax regression, " + row.text("workers") + " workers",
                                    new Curves.Axis("clock", "clocks", 1),
                                    new Curves.Axis("objective", "loss of the training examples", 1),
                                    Multicasts::name)
                            .with(Curves.Axes.LINEAR_X))),
            Multicasts::new);

    private Dataset data;

    /** A selection of vectors, and the multicast by which workers send them. */
    record Variant(String selection, String multicast) {
        static Variant of(String method) {
            String[] parts = method.split(SEPARATOR, -1);
            if (2 != parts.length) {
                throw Parameter.refusal("--methods", method, "a selection, " + SEPARATOR + " and a multicast");
            }
            FactorSelections.named(parts[0]);
            return new Variant(parts[0], parts[1]);
        }

        /** This multicast with another seed, if it draws. */
        String seeded(int workers, int seed) {
            return Multicast.named(multicast).among(workers).draws() ? multicast + ";seed=" + seed : multicast;
        }
    }

    private Multicasts(Settings settings) {
        super(settings);
        variants().forEach(variant -> Multicast.named(variant.multicast()).among(get(WORKERS)));
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("selection").shown("selection"),
                Column.fact("multicast").shown("multicast"),
                Column.facts("workers", "batch", "goal"),
                Column.series("clock", "objective"),
                Column.mean("clocks_to_goal", "clocks_to_goal")
                        .shown("clocks to the loss", "%.1f")
                        .note("mean over the seeds"),
                Column.low("clocks_to_goal_low", "clocks_to_goal"),
                Column.high("clocks_to_goal_high", "clocks_to_goal"),
                Column.derived("more_clocks", (row, rows) -> row.over(rows.getFirst(), "clocks_to_goal") - 1)
                        .shown("more clocks %", "%.1f", 100)
                        .note("than the first row"),
                Column.mean("loss", "loss").shown("loss at the end", "%.4f"),
                Column.derived("loss_share", (row, rows) -> row.over(rows.getFirst(), "loss"))
                        .shown("of the first", "%.3f"),
                Column.mean("bytes_peer", "bytes_peer").whole().shown("bytes to peers", "%,.0f"),
                Column.mean("bytes_servers", "bytes_servers").whole().shown("by servers", "%,.0f"),
                Column.max("distance", "distance").shown("distance", "%.3f").note("of a replica from the mean of all"));
    }

    private static String name(Row row) {
        return row.text("selection") + " to " + row.text("multicast");
    }

    @Override
    public List<Variant> variants() {
        return get(METHODS).stream().map(Variant::of).toList();
    }

    @Override
    public void open() {
        data = new Planted(get(CLASSES), get(WORDS), get(EXAMPLES), get(Planted.DECAY)).generate(1);
    }

    @Override
    public List<Sample> measure(Variant variant) throws InterruptedException {
        List<Sample> samples = new ArrayList<>();
        for (int seed = 1; seed <= get(SEEDS); seed++) {
            DescentSettings training = new DescentSettings(get(CLOCKS), get(BATCH), get(LEARNING_RATE), seed);
            String multicast = variant.seeded(get(WORKERS), seed);
            samples.add(sample(
                    variant, PeerRun.of(data, training, get(WORKERS), get(SLICE), variant.selection(), multicast)));
        }
        return samples;
    }

    private Sample sample(Variant variant, PeerRun run) {
        double[] objective = run.replicas().objective(data, get(Replicas.SAMPLE));
        double reached = Math.ceil(Replicas.clocksTo(get(GOAL), objective, name(variant)));
        return new Sample()
                .fact("selection", variant.selection())
                .fact("multicast", variant.multicast())
                .steps("clock", 0, get(CLOCKS))
                .figure("objective", objective)
                .figure("clocks_to_goal", reached)
                .figure(
                        "loss",
                        Arrays.stream(objective, Math.max(0, objective.length - get(LAST)), objective.length)
                                .average()
                                .orElseThrow())
                .figure("bytes_peer", run.bytesPeer())
                .figure("bytes_servers", run.bytesOfServers())
                .figure(
                        "distance",
                        Arrays.stream(run.replicas().distance()).max().orElse(0));
    }

    private static String name(Variant variant) {
        return variant.selection() + SEPARATOR + variant.multicast();
    }
}
