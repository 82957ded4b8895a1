package io.sluice.perf.experiment;

import io.sluice.perf.report.Machine;
import io.sluice.perf.report.OutputFile;
import io.sluice.perf.report.Plot;
import io.sluice.perf.report.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs an experiment. Variants take turns, and every other round runs them in reverse order, so that a drift of the
 * machine affects all of them equally. The JSON is written after each turn that took longer than writing, and at the
 * end, so an interrupted run keeps its results.
 */
final class ExperimentRun {
    /** Minimum duration of a turn, as a multiple of the time for writing. */
    private static final long WRITING = 20;

    private final Scenario scenario;
    private final Settings settings;
    private final String command;
    private final Path json;
    private final Path plot;
    private final PrintWriter out;
    private final PrintWriter err;
    private final Machine machine = Machine.current();
    private final List<List<Sample>> samples = new ArrayList<>();
    private int turns;
    private long writtenNs = System.nanoTime();
    private long writingNs;

    ExperimentRun(
            Scenario scenario,
            Settings settings,
            String command,
            Path json,
            Path plot,
            PrintWriter out,
            PrintWriter err) {
        this.scenario = scenario;
        this.settings = settings;
        this.command = command;
        this.json = json;
        this.plot = plot;
        this.out = out;
        this.err = err;
    }

    /** Measures all variants in turns, prints the table, and writes the JSON and the plot if they are requested. */
    void run() throws IOException, InterruptedException {
        run(scenario.plan().prepare(settings));
    }

    private <V> void run(Experiment<V> experiment) throws IOException, InterruptedException {
        try (experiment) {
            check();
            introduce(experiment.introduction());
            experiment.open();
            takeTurns(experiment);
            finish(experiment);
        }
    }

    /** Refuses files that cannot be written, before measurements of minutes are lost. */
    private void check() {
        if (json != null) {
            OutputFile.check("--json", json);
        }
        if (plot != null) {
            Plot.check("--plot", plot);
        }
    }

    private void introduce(String line) {
        out.println(machine.sentence());
        out.println(settings.sentence());
        if (machine.isLoaded()) {
            out.printf(
                    "WARNING: other processes use %.1f of %d cores, so only ratios are meaningful%n",
                    machine.othersLoad(), machine.cores());
        }
        if (!line.isEmpty()) {
            out.println(line);
        }
        out.flush();
    }

    private <V> void takeTurns(Experiment<V> experiment) throws IOException, InterruptedException {
        int groups = 0;
        List<V> variants = experiment.variants();
        while (!variants.isEmpty()) {
            groups++;
            takeTurns(experiment, variants.stream().distinct().toList(), groups > 1 ? "group " + groups + ", " : "");
            variants = experiment.next(rows());
        }
    }

    private <V> void takeTurns(Experiment<V> experiment, List<V> variants, String group)
            throws IOException, InterruptedException {
        int rounds = settings.get(scenario.roundsParameter());
        int warmUps = experiment.warmUps();
        List<List<Sample>> places = new ArrayList<>();
        variants.forEach(_ -> places.add(new ArrayList<>()));
        samples.addAll(places);
        try (Progress progress = new Progress(err, (warmUps + rounds) * variants.size())) {
            for (int round = 0; round < warmUps + rounds; round++) {
                progress.task(group + "round " + (round + 1) + " of " + (warmUps + rounds));
                int turn = 0;
                for (V variant : round % 2 == 0 ? variants : variants.reversed()) {
                    List<Sample> seen = experiment.measure(variant);
                    if (round >= warmUps) {
                        turns++;
                        seen.forEach(
                                sample -> places.get(variants.indexOf(variant)).add(settings.addTo(sample)));
                        if (System.nanoTime() - writtenNs > WRITING * writingNs) {
                            write(experiment, false);
                        }
                    }
                    progress.step("turn " + ++turn + " of " + variants.size());
                }
            }
        } finally {
            write(experiment, true);
        }
    }

    private List<Row> rows() {
        return scenario.layout().rows(samples.stream().flatMap(List::stream).toList());
    }

    private void write(Experiment<?> experiment, boolean last) throws IOException {
        if (json != null && turns > 0) {
            long startNs = System.nanoTime();
            List<Row> rows = rows();
            new Report(
                            command,
                            scenario.name(),
                            settings.texts(),
                            experiment.introduction().lines().toList(),
                            machine,
                            last ? Machine.measureOthersLoad() : null,
                            turns,
                            rows,
                            experiment.conclusions(rows))
                    .write(json);
            writtenNs = System.nanoTime();
            writingNs = writtenNs - startNs;
        }
    }

    private void finish(Experiment<?> experiment) throws IOException {
        List<Row> rows = rows();
        scenario.layout().print(rows, out);
        for (String sentence : experiment.conclusions(rows)) {
            out.println("  " + sentence);
        }
        if (plot != null) {
            draw(scenario, rows, plot, out);
        }
        out.flush();
    }

    /** Draws all plots, and prints the names of their files. */
    static void draw(Scenario scenario, List<Row> rows, Path file, PrintWriter out) throws IOException {
        List<Path> drawn = Curves.draw(scenario.layout(), rows, file);
        drawn.forEach(path -> out.println("drawn: " + path));
        if (drawn.isEmpty()) {
            out.println("not drawn: no plot of " + scenario.name() + " has a point");
        }
    }
}
