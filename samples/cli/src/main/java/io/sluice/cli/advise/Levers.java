package io.sluice.cli.advise;

import io.sluice.cli.advise.Lever.Result;
import io.sluice.codecs.api.ValueType;
import io.sluice.tree.planning.ClockEstimate;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Applies each change of a job alone: first those that keep the result, and of each kind the one that saves most. */
final class Levers {
    /** Seconds of a processor for an element of a filter, docs/benchmarks/filter.md: tables beyond the caches. */
    static final double FILTER_SECONDS = 0.42e-9;

    private static final double DENSITY = 0.1;
    private static final int FINE_SLICE = 4_096;
    private static final int LAYERS = 8;
    private static final int STEPS = 16;

    private final JobFigures job;
    private final Setup setup;
    private final ClockForecast forecast;
    private final double clock;
    private final List<Lever> levers = new ArrayList<>();

    private Levers(JobFigures job, ClockForecast forecast, double clock) {
        this.job = job;
        this.forecast = forecast;
        this.clock = clock;
        setup = job.setup();
    }

    static List<Lever> of(JobFigures job, ClockForecast forecast, double clock) {
        Levers all = new Levers(job, forecast, clock);
        all.addAll();
        all.levers.sort(Comparator.comparing(Lever::result)
                .thenComparing(Comparator.comparingDouble(Lever::gain).reversed()));
        return List.copyOf(all.levers);
    }

    private void addAll() {
        if (setup.isPull()) {
            add("--protocol update", Result.SAME, setup.with("protocol", "update"), hidden());
        } else {
            addLinks();
            addBytes();
        }
        if (setup.staleness() == 0) {
            add("--consistency ssp:1", Result.APPROXIMATE, setup.with("consistency", "ssp:1"), hidden());
        }
        add(STEPS + " local steps", Result.OTHER, setup.with("steps", STEPS), job.computeSeconds());
    }

    /** How messages use the links. */
    private void addLinks() {
        if (job.sharesMemory()) {
            return;
        }
        if (!"layer".equals(setup.order())) {
            int slice = Math.min(setup.slice(), FINE_SLICE);
            int layers = Math.max(setup.layers(), LAYERS);
            String change = (setup.layers() < LAYERS ? "pushes of " + LAYERS + " layers and " : "")
                    + "--order layer --slice " + slice;
            Setup changed = setup.with("order", "layer").with("slice", slice).with("layers", layers);
            add(change, Result.SAME, changed, hidden());
        }
        String tree = forecast.fastestTree(setup);
        add(
                "--tree " + tree,
                Result.SAME,
                setup.with("tree", tree),
                forecast.with(setup, forecast.leastMessages(setup)));
    }

    /** How many bytes messages have. */
    private void addBytes() {
        double kept = BigDecimal.valueOf(setup.kept() > DENSITY ? DENSITY : setup.kept() / 10)
                .round(new MathContext(2))
                .doubleValue();
        if (kept > 0) {
            addFilter(kept);
        }
        if (ValueType.named(setup.values()).plain() == ValueType.F32) {
            double least = forecast.seconds(setup.with("values", ValueType.LOG8.configName()));
            add("--values bf16", Result.APPROXIMATE, setup.with("values", "bf16"), least);
        }
    }

    private void addFilter(double kept) {
        double union = job.filtersBroadcasts() ? kept : job.union(kept);
        add(
                "--filter density:"
                        + BigDecimal.valueOf(kept).stripTrailingZeros().toPlainString(),
                Result.APPROXIMATE,
                setup.withKept(kept, Math.min(union, setup.broadcastKept())),
                forecast.with(setup, ClockEstimate.NOTHING));
    }

    /** Seconds of a clock if its shorter part were hidden behind the longer one. */
    private double hidden() {
        ClockEstimate messages = forecast.messages(setup);
        double longest = Math.max(messages.pushSeconds(), messages.broadcastSeconds());
        return Math.max(
                Math.max(job.busySeconds(), longest) + forecast.restSeconds(), forecast.processorSeconds(setup));
    }

    private void add(String change, Result result, Setup changed, double least) {
        double seconds = forecast.seconds(changed);
        double gain = 1 - seconds / clock;
        levers.add(new Lever(change, result, seconds, gain, Math.max(gain, 1 - least / clock)));
    }
}
