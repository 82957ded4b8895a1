package io.sluice.perf.failure;

import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Measures how long broadcasts pause when a relay dies. */
public final class Repair extends Experiment<String> {
    private static final int MOST_MS = 60_000;
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 6, 3, 64).help("Workers");
    private static final Parameter<String> TREE = Parameter.text("tree", "TREE", "shared:2")
            .help("Planner of the trees; the worker with the most descendants, but not all others, is killed");
    private static final Parameter<List<String>> CONSISTENCY = Parameter.text("consistency", "RULE", null)
            .several("bsp,tap")
            .help("Rules to compare: under bsp versions wait for the dead worker until it is lost, under tap they do"
                    + " not wait");
    private static final Parameter<Integer> PARAMS = Parameter.whole("params", 20_000, 1 << 10, 1 << 24)
            .help("Number of parameters of the model; each update changes all of them");
    private static final Parameter<Integer> EVERY =
            Parameter.whole("every", 20, 1, MOST_MS).help("Minimum time of a worker's clock in milliseconds");
    private static final Parameter<Integer> LIVENESS =
            Parameter.whole("liveness-ms", 2_500, 100, MOST_MS).help("Liveness time in milliseconds");

    public static final Scenario SCENARIO = new Scenario(
            "repair",
            List.of(
                    "Measures how long workers get no new version after a worker that relays broadcasts is killed.",
                    "Descendants of the killed worker (-9) and other workers are reported separately. A server and"
                            + " workers that compute nothing are threads of this process; the one that is killed is a"
                            + " process with a media driver of its own. All use UDP."),
            2,
            Parameter.declaredBy(Repair.class),
            new Layout(
                    row -> "descendants of the killed worker (orphan), and others",
                    List.of(
                            Column.fact("consistency").shown("rule"),
                            Column.fact("subtree").shown("subtree"),
                            Column.fact("workers").shown("workers", "%,.0f"),
                            Column.count("deaths", "pause").shown("deaths", "%,.0f"),
                            Column.median("detection")
                                    .shown("known s", "%.3f")
                                    .note("from the kill until the first node knew that the worker is lost"),
                            Column.max("detection_max", "detection").shown("max", "%.3f"),
                            Column.median("usual")
                                    .shown("usual s", "%.3f")
                                    .note("the longest time between two versions in the second before the kill"),
                            Column.max("usual_max", "usual").shown("max", "%.3f"),
                            Column.median("pause")
                                    .shown("pause s", "%.3f")
                                    .note("the longest time between two versions after the kill, at the worker where it"
                                            + " was longest in each death"),
                            Column.max("pause_max", "pause").shown("max", "%.3f"),
                            Column.median("beyond")
                                    .shown("beyond s", "%+.3f")
                                    .note("pause minus the time until the death was detected"),
                            Column.max("beyond_max", "beyond").shown("max", "%+.3f"),
                            Column.sum("asked")
                                    .whole()
                                    .shown("asked", "%,.0f")
                                    .note("requests for missing frames, in all deaths together"))),
            Repair::new);

    private final RepairPlan plan;
    private final Subtree subtree;

    private Repair(Settings settings) {
        super(settings);
        plan = new RepairPlan(get(WORKERS), get(TREE), get(PARAMS), get(EVERY), get(LIVENESS));
        variants().forEach(plan::terms); // rejects unknown rules
        subtree = Subtree.of(plan);
    }

    @Override
    public List<String> variants() {
        return get(CONSISTENCY);
    }

    @Override
    public String introduction() {
        return String.format(
                "1 server, %d workers, %s, %,d parameters every %d ms: worker %d is killed, its descendants are %s",
                plan.workers(), plan.tree(), plan.params(), plan.everyMs(), subtree.victim(), subtree.orphans());
    }

    @Override
    public List<Sample> measure(String rule) throws IOException, InterruptedException {
        DeathRun death = DeathRun.of(plan, rule);
        List<Sample> samples = new ArrayList<>();
        for (boolean orphans : new boolean[] {false, true}) {
            List<DeathRun.Survivor> survivors = death.survivors(orphans);
            long pauseNs = longest(survivors, DeathRun.Survivor::pauseNs);
            samples.add(new Sample()
                    .fact("consistency", rule)
                    .fact("subtree", orphans ? "orphan" : "other")
                    .fact("workers", survivors.size())
                    .figure("detection", death.detectionNs() / NS)
                    .figure("usual", longest(survivors, DeathRun.Survivor::usualNs) / NS)
                    .figure("pause", pauseNs / NS)
                    .figure("beyond", (pauseNs - death.detectionNs()) / NS)
                    .figure(
                            "asked",
                            survivors.stream()
                                    .mapToLong(DeathRun.Survivor::asked)
                                    .sum()));
        }
        return samples;
    }

    private static long longest(List<DeathRun.Survivor> survivors, ToLongFunction<DeathRun.Survivor> of) {
        return survivors.stream().mapToLong(of).max().orElseThrow();
    }
}
