package io.sluice.perf.benchmark;

import io.sluice.console.UnavailableException;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.report.Machine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.CloseHelper;

/**
 * An experiment whose variants are benchmarks, in groups that fit into memory. The first turn of each warms it up and
 * does not count.
 */
public abstract class BenchmarkExperiment<S extends BenchmarkSpec> extends Experiment<S> {
    /** Whether all benchmarks share this JVM. */
    protected static final Parameter<Boolean> ONE_JVM = Parameter.flag("one-jvm")
            .help("Run all variants in this JVM: starts faster, but the profile of one variant affects how the JIT"
                    + " compiles the others");

    /** Whether to shorten everything, with meaningless figures. */
    protected static final Parameter<Boolean> QUICK = Parameter.flag("quick")
            .help("Skip warm-up and repetitions, to check only that the benchmarks run; the figures are meaningless");

    private static final int MIB_BITS = 20;

    /** Memory of a JVM in addition to its tables, in bytes. */
    private static final long JVM_BYTES = 100L << MIB_BITS;

    private final boolean oneJvm;
    private final boolean quick;
    private final Map<String, List<S>> members = new LinkedHashMap<>();
    private final Map<String, Runner> runners = new LinkedHashMap<>();

    /** Reads the parameters of all benchmarks. */
    protected BenchmarkExperiment(Settings settings) {
        super(settings);
        oneJvm = settings.get(ONE_JVM);
        quick = settings.get(QUICK);
    }

    /** How long the turns of a variant take. */
    protected abstract Pace pace(S spec);

    /**
     * The variants that are measured next and compared with each other.
     *
     * @return variants; none after the last group
     */
    protected abstract List<S> group(List<Row> rows);

    /** The sample of a turn, without the benchmarks that alternate with it. */
    protected abstract Sample sample(S spec, Turn turn) throws IOException;

    protected List<Sample> samples(S spec, Turn turn) throws IOException {
        return List.of(sample(spec, turn));
    }

    /** Whether the figures will be meaningless. */
    protected final boolean isQuick() {
        return quick;
    }

    /** Whether all variants run in this JVM. */
    protected final boolean isOneJvm() {
        return oneJvm;
    }

    @Override
    public final List<S> variants() {
        return next(List.of());
    }

    @Override
    public final List<S> next(List<Row> rows) {
        close(runners);
        List<S> specs = group(rows);
        members.clear();
        specs.forEach(spec ->
                members.computeIfAbsent(group(spec), _ -> new ArrayList<>()).add(spec));
        requireMemory(specs);
        return specs;
    }

    private String group(S spec) {
        return oneJvm ? "" : spec.group();
    }

    /** Refuses tables that do not fit into memory all at once. */
    private void requireMemory(List<S> specs) {
        long tables = specs.stream().mapToLong(BenchmarkSpec::memory).sum();
        long needed = tables + (oneJvm ? 0 : members.size() * JVM_BYTES);
        long free = Machine.freeMemory();
        if (needed > free) {
            throw new UnavailableException("the tables of " + specs.size() + " variants need " + (needed >> MIB_BITS)
                    + " MiB at once, and " + (free >> MIB_BITS)
                    + " MiB are free: choose a smaller --size or fewer --values");
        }
    }

    @Override
    public int warmUps() {
        return 1;
    }

    @Override
    public String introduction() {
        if (quick) {
            return "WARNING: --quick: without warm-up the speeds are meaningless";
        }
        return oneJvm ? "WARNING: --one-jvm: loops run more slowly in one JVM than each in a JVM of its own" : "";
    }

    @Override
    public final List<Sample> measure(S spec) throws IOException, InterruptedException {
        String group = group(spec);
        List<S> together = members.get(group);
        Runner runner = runners.get(group);
        if (runner == null) {
            Pace pace = quick ? Pace.QUICK : pace(spec);
            runner = oneJvm ? new LocalRunner(together, pace) : new ForkedRunner(together, pace);
            runners.put(group, runner);
        }
        List<Sample> samples = new ArrayList<>();
        for (Turn round : runner.turn(together.indexOf(spec))) {
            samples.addAll(samples(spec, round));
        }
        return samples;
    }

    private static void close(Map<String, Runner> runners) {
        CloseHelper.closeAll(runners.values());
        runners.clear();
    }

    @Override
    public void close() {
        close(runners);
        super.close();
    }
}
