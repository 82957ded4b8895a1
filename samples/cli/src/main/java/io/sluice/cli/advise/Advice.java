package io.sluice.cli.advise;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.tree.planning.ClockEstimate;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Where a job spends its time, and what each change saves.
 *
 * @param job the job
 * @param clockSeconds seconds of a clock, measured or predicted
 * @param pushMessageSeconds part for which links, or copies in shared memory, are busy with pushes
 * @param broadcastMessageSeconds the same with broadcasts, at the same time as pushes
 * @param processorSeconds part for which all cores are busy; 0 if their number is unknown
 * @param otherSeconds part that neither computing nor messages explain
 * @param levers changes of which each is made alone: those that keep the result first, then by gain
 * @param remarks doubts about the figures, a sentence each
 * @param advice in words
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Advice(
        JobFigures job,
        double clockSeconds,
        double pushMessageSeconds,
        double broadcastMessageSeconds,
        double processorSeconds,
        double otherSeconds,
        List<Lever> levers,
        List<String> remarks,
        String advice) {
    /** The gain below which a change is not worth making. */
    private static final double WORTH = 0.05;

    /** The share of the model's time for messages below which the figures contradict it. */
    private static final double LITTLE = 0.8;

    private static final double BUSY = 0.9;
    private static final double PERCENT = 100;

    static Advice on(JobFigures job) {
        ClockForecast forecast = new ClockForecast(job);
        ClockEstimate messages = forecast.messages(job.setup());
        double clock = job.clockSeconds() == null ? forecast.seconds(job.setup()) : job.clockSeconds();
        List<Lever> levers = Levers.of(job, forecast, clock);
        return new Advice(
                job,
                clock,
                messages.pushSeconds(),
                messages.broadcastSeconds(),
                forecast.processorSeconds(job.setup()),
                forecast.restSeconds(),
                levers,
                remarks(job, forecast, clock),
                words(job, clock, levers));
    }

    /** Prints the advice for people. */
    public void print(PrintWriter out) {
        AdvicePage.print(this, out);
    }

    private static List<String> remarks(JobFigures job, ClockForecast forecast, double clock) {
        List<String> remarks = new ArrayList<>();
        if (forecast.stretch() < LITTLE) {
            remarks.add("The measured clock is shorter than the model predicts: "
                    + (job.sharesMemory()
                            ? "copies take less time than --byte-time states"
                            : "links are faster than --link-rate states")
                    + ", or the trainer pushes parts while it computes others (--layers).");
        }
        if (forecast.processorSeconds(job.setup()) >= BUSY * clock) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "Computing, filtering and copying of %d workers keep %d cores busy for %.0f %% of the clock: hiding"
                            + " work behind other work saves nothing; more cores, or less work, do.",
                    job.workers(),
                    job.cores(),
                    PERCENT * forecast.processorSeconds(job.setup()) / clock));
        } else if (forecast.restSeconds() >= WORTH * clock) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "The workers spend %.0f %% of the time of a clock neither computing nor exchanging messages. Slow"
                            + " workers or busy processors may be the reason. Sending fewer bytes is not expected to"
                            + " shorten this part.",
                    PERCENT * forecast.restSeconds() / clock));
        }
        if (!job.filtersBroadcasts() && job.setup().kept() == 1 && job.workers() > 1) {
            remarks.add("The job does not show whether a filter would keep the same elements at all workers: the filter"
                    + " is predicted for workers that choose independently.");
        }
        return List.copyOf(remarks);
    }

    /** The change that saves most of each kind, what changes less first; a later kind only if it saves more. */
    private static String words(JobFigures job, double clock, List<Lever> levers) {
        StringBuilder text = new StringBuilder();
        double saved = 0;
        for (Lever.Result result : Lever.Result.values()) {
            Lever best = levers.stream()
                    .filter(lever -> lever.result() == result)
                    .findFirst()
                    .orElse(null);
            if (best == null || best.gain() < saved + WORTH) {
                continue;
            }
            text.append(String.format(
                    Locale.ROOT,
                    "%s %s: a step takes %.3g s instead of %.3g s, %.0f %% less%s. ",
                    text.isEmpty() ? "Use" : "Or use",
                    best.change(),
                    best.seconds(),
                    clock,
                    PERCENT * best.gain(),
                    result.consequence()));
            saved = best.gain();
        }
        if (text.isEmpty()) {
            Lever best =
                    levers.stream().max(Comparator.comparingDouble(Lever::gain)).orElseThrow();
            return String.format(
                    Locale.ROOT,
                    "Leave it as it is: no change saves %.0f %% of a clock; %s saves most, %.1f %%.%s",
                    PERCENT * WORTH,
                    best.change(),
                    PERCENT * Math.max(0, best.gain()),
                    job.sharesMemory() ? " No link carries the messages, so fewer bytes save little." : "");
        }
        String idle = levers.stream()
                .filter(lever -> lever.gain() < WORTH)
                .map(Lever::change)
                .collect(Collectors.joining("; "));
        return text.append(idle.isEmpty() ? "" : "Leave the rest, which saves less than 5 %: " + idle + ".")
                .toString()
                .strip();
    }
}
