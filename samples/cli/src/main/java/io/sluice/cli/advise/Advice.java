package io.sluice.cli.advise;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.codecs.api.ValueType;
import io.sluice.tree.planning.ClockEstimate;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where the time of a job goes, and what each change gains.
 *
 * @param job the job
 * @param clockSeconds seconds of a clock, measured or predicted
 * @param pushMessageSeconds part for which links, or copies in shared memory, are busy with pushes
 * @param broadcastMessageSeconds the same with broadcasts, at the same time as pushes
 * @param otherSeconds part that neither computing nor messages explain
 * @param levers changes of which each is made alone, the one that gains most first
 * @param remark a doubt about the figures, in a sentence; empty for none
 * @param advice in words
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Advice(
        JobFigures job,
        double clockSeconds,
        double pushMessageSeconds,
        double broadcastMessageSeconds,
        double otherSeconds,
        List<Lever> levers,
        String remark,
        String advice) {
    /** The gain below which a change is not worth making. */
    private static final double WORTH = 0.05;

    /** The share of the model's time for messages below which the figures contradict it. */
    private static final double LITTLE = 0.8;

    private static final double DENSITY = 0.1;
    private static final int FINE_SLICE = 4_096;
    private static final int LAYERS = 8;
    private static final int STEPS = 16;
    private static final double PERCENT = 100;

    /** Advises on a job. */
    public static Advice on(JobFigures job) {
        ClockForecast forecast = new ClockForecast(job);
        ClockEstimate messages = forecast.messages(job.setup());
        double clock = forecast.seconds(job.setup());
        List<Lever> levers = new Levers(job, forecast, clock).all();
        levers.sort(Comparator.comparingDouble(Lever::gain).reversed());
        return new Advice(
                job,
                clock,
                messages.pushSeconds(),
                messages.broadcastSeconds(),
                forecast.restSeconds(),
                List.copyOf(levers),
                remark(forecast, clock),
                words(job, clock, levers));
    }

    private static String remark(ClockForecast forecast, double clock) {
        if (forecast.stretch() < LITTLE) {
            return "The clock leaves less time for messages than they need: links are faster than --link-rate says, or"
                    + " the trainer pushes parts while it computes others (--layers).";
        }
        return forecast.restSeconds() < WORTH * clock
                ? ""
                : String.format(
                        Locale.ROOT,
                        "%.0f %% of the clock is neither computing nor messages. Slow workers or busy processors may"
                                + " be the reason; fewer bytes are not expected to shorten it.",
                        PERCENT * forecast.restSeconds() / clock);
    }

    private static String words(JobFigures job, double clock, List<Lever> levers) {
        Lever best = levers.getFirst();
        if (best.gain() < WORTH) {
            return String.format(
                    Locale.ROOT,
                    "Leave it as it is: no change gains %.0f %% of a clock; most gains %s, %.1f %%.%s",
                    PERCENT * WORTH,
                    best.change(),
                    PERCENT * Math.max(0, best.gain()),
                    job.sharesMemory() ? " No link carries the messages, so fewer bytes save little." : "");
        }
        StringBuilder text = new StringBuilder("Most gains ").append(sentence(best, clock));
        text.append(best.sameResult() ? " It keeps the result." : " It changes the result: compare the quality.");
        Optional<Lever> same = levers.stream().filter(Lever::sameResult).findFirst();
        if (!best.sameResult() && same.isPresent() && same.get().gain() >= WORTH) {
            text.append(" Of the changes that keep the result, most gains ").append(sentence(same.get(), clock));
        }
        String idle = levers.stream()
                .filter(lever -> lever.gain() < WORTH)
                .map(Lever::change)
                .collect(Collectors.joining("; "));
        if (!idle.isEmpty()) {
            text.append(" Leave as it is, because it gains less than 5 %: ")
                    .append(idle)
                    .append('.');
        }
        return text.toString();
    }

    private static String sentence(Lever lever, double clock) {
        return String.format(
                Locale.ROOT,
                "%s: %.3g s instead of %.3g s, %.0f %% less.",
                lever.change(),
                lever.seconds(),
                clock,
                PERCENT * lever.gain());
    }

    /** Makes the changes of a job. */
    private record Levers(JobFigures job, ClockForecast forecast, double clock) {
        List<Lever> all() {
            Setup setup = job.setup();
            List<Lever> levers = new ArrayList<>();
            double hidden = hidden();
            double kept = setup.kept() > DENSITY ? DENSITY : setup.kept() / 10;
            String density = "--filter density:"
                    + new BigDecimal(kept)
                            .round(new MathContext(2))
                            .stripTrailingZeros()
                            .toPlainString();
            levers.add(lever(density, false, setup.withKept(kept), forecast.with(setup, ClockEstimate.NOTHING)));
            if (setup.values().plain() == ValueType.F32) {
                double least = forecast.seconds(setup.withValues(ValueType.LOG8));
                levers.add(lever("--values bf16", false, setup.withValues(ValueType.BF16), least));
            }
            if (setup.staleness() == 0) {
                levers.add(lever("--consistency ssp:1", false, setup.withConsistency("ssp:1"), hidden));
            }
            double computing = job.computeSeconds();
            levers.add(lever(STEPS + " local steps", false, setup.withSteps(STEPS), computing));
            if (setup.pull()) {
                levers.add(lever("--protocol update", true, setup.withBroadcasts(), hidden));
            } else if (!setup.byLayer() && !job.sharesMemory()) {
                int slice = Math.min(setup.slice(), FINE_SLICE);
                int layers = Math.max(setup.layers(), LAYERS);
                String order = (setup.layers() < LAYERS ? "pushes of " + LAYERS + " layers and " : "")
                        + "--order layer --slice " + slice;
                levers.add(lever(order, true, setup.withOrder(slice, layers), hidden));
            }
            if (!job.sharesMemory() && !setup.pull()) {
                String tree = forecast.fastestTree(setup);
                double least = forecast.with(setup, forecast.leastMessages(setup));
                levers.add(lever("--tree " + tree, true, setup.withTree(tree), least));
            }
            return levers;
        }

        /** Seconds of a clock if its shorter part were hidden behind the longer one. */
        private double hidden() {
            ClockEstimate messages = forecast.messages(job.setup());
            double longest = Math.max(messages.pushSeconds(), messages.broadcastSeconds());
            return Math.max(job.computeSeconds() + job.pushSeconds(), longest) + forecast.restSeconds();
        }

        private Lever lever(String change, boolean sameResult, Setup setup, double least) {
            double seconds = forecast.seconds(setup);
            double gain = 1 - seconds / clock;
            return new Lever(change, sameResult, seconds, gain, Math.max(gain, 1 - least / clock));
        }
    }
}
