package io.sluice.perf.layers;

import io.sluice.perf.ExitCode;
import io.sluice.perf.lab.LabEvent;
import io.sluice.perf.options.LabRate;
import io.sluice.perf.options.OutputOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what slices and their order are worth to the training of layered models. */
@Command(
        name = "layers",
        description = {
            "Trains a model of simulated layers over links of stated rates, and compares slices sent by layer (P3)"
                    + " with whole layers as they come.",
            "Needs Linux and root: each server and worker is a process on a host of a network lab. Layers only take"
                    + " time; gradients, servers and links are real. The defaults take about three minutes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class LayersCommand implements Callable<Integer> {
    private static final int MAX_ROUNDS = 100;
    private static final int MAX_BATCH = 1_000_000;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--model",
            paramLabel = "MODEL",
            converter = LayerModel.NameConverter.class,
            defaultValue = LayerModel.VGG19,
            description = "three (equal layers) or vgg19 (${DEFAULT-VALUE}).")
    private String model;

    @Option(
            names = "--scale",
            paramLabel = "N",
            defaultValue = "64",
            description = "Divide the parameters of each layer by N (${DEFAULT-VALUE}); vgg19 has 143,667,240.")
    private int scale;

    @Option(
            names = "--rates",
            paramLabel = "RATE",
            split = ",",
            defaultValue = "50mbit,100mbit,200mbit,400mbit",
            description = "Rates of each host's link (${DEFAULT-VALUE}).")
    private List<String> rates;

    @Option(
            names = "--slice",
            paramLabel = "N",
            split = ",",
            defaultValue = "4096",
            description = "Parameters of a slice, 1 to 65536 (${DEFAULT-VALUE}); the first one is also sent in order"
                    + " fifo, and all by layer.")
    private List<Integer> slices;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "2", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--servers", paramLabel = "N", defaultValue = "1", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Option(
            names = "--compute",
            paramLabel = "TIME",
            defaultValue = "600ms",
            description = "Computing of an iteration, a third of it forward (${DEFAULT-VALUE}).")
    private String compute;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "32",
            description = "Samples that a worker has in an iteration, for throughput (${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            defaultValue = "3",
            description = "Iterations of a turn that count (${DEFAULT-VALUE}).")
    private int iterations;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "1",
            description = "Iterations before those; the first has nothing to wait for (${DEFAULT-VALUE}).")
    private int warmup;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "2",
            description = "Turns of each method at each rate (${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--no-receive",
            description = "Workers take nothing in while they compute, as trainers that only wait in sync.")
    private boolean deaf;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Long> known = rates.stream()
                .map(text -> LabRate.parse("--rates", text))
                .distinct()
                .toList();
        TrainingPlan plan = new TrainingPlan(
                LayerModel.named(model, scale),
                workers,
                servers,
                LabEvent.time("--compute", compute).toNanos(),
                warmup,
                iterations,
                !deaf);
        List<SyncMethod> methods = SyncMethod.compared(slices);
        inRange("--rounds", rounds, MAX_ROUNDS);
        inRange("--batch", batch, MAX_BATCH);
        output.check();
        LayersRun run = new LayersRun(plan, methods, rounds, batch);
        PrintWriter out = spec.commandLine().getOut();
        introduce(plan, run.expectedSeconds(known), out);
        List<LayersRow> rows = run.run(known, ofRate -> LayersReport.print(ofRate, out));
        List<String> conclusions = LayersReport.conclusions(rows);
        out.println();
        conclusions.forEach(out::println);
        explain(out);
        if (output.plot() != null) {
            LayersReport.plot(rows, output.plot()).forEach(path -> out.println("drawn: " + path));
        }
        output.writeJson(spec, rows, conclusions);
        return ExitCode.OK;
    }

    private static void inRange(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", expected 1 to " + most);
        }
    }

    private void introduce(TrainingPlan plan, double seconds, PrintWriter out) {
        out.println(output.machine().sentence());
        LayerModel shape = plan.model();
        Layer largest = shape.layers().stream()
                .reduce((one, other) -> other.elements() > one.elements() ? other : one)
                .orElseThrow();
        out.printf(
                "%s at 1/%d: %d layers, %,d parameters, %s has %,d of them; %d workers, %d servers; about %.0f s%n",
                shape.name(),
                shape.scale(),
                shape.layers().size(),
                shape.elements(),
                largest.name(),
                largest.elements(),
                plan.workers(),
                plan.servers(),
                seconds);
        out.flush();
    }

    private static void explain(PrintWriter out) {
        out.println();
        out.println("  baseline   whole layers, fifo: slices of 65,536, the longest there are, as gradients come");
        out.println("  iteration  from the end of one backward pass to that of the next, all workers");
        out.println("  delay      of it before the first layer was there; waits: before any of the layers were");
        out.println("  forecast   the schedule of computing, way up and way down, one slice at a time on each");
        out.println(
                "  bound      the larger of computing and one way of the wire; serial: their sum, with the way back");
        out.flush();
    }
}
