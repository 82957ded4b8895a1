package io.sluice.perf.exchange;

import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What an exchange has shown.
 *
 * @param clockNs time of one clock in nanoseconds, of all workers together
 * @param pushedBytes bytes that one worker sends in one clock, as they lie in the log
 * @param broadcastBytes bytes that one worker is sent in one clock, likewise
 * @param keptShare share of elements that passed the workers' filters
 * @param replicas parameters of each worker after the last clock
 */
record ExchangeReport(
        Histogram clockNs, double pushedBytes, double broadcastBytes, double keptShare, List<float[]> replicas) {
    static ExchangeReport of(ExchangeSettings settings, List<ExchangeWorker.Outcome> outcomes, long bytesBroadcast) {
        Histogram all = outcomes.getFirst().clockNs().copy();
        outcomes.stream().skip(1).forEach(outcome -> all.add(outcome.clockNs()));
        long pushed =
                outcomes.stream().mapToLong(ExchangeWorker.Outcome::bytesPushed).sum();
        long kept = outcomes.stream()
                .mapToLong(ExchangeWorker.Outcome::elementsKept)
                .sum();
        double workerClocks = (double) settings.workers() * settings.totalClocks();
        return new ExchangeReport(
                all,
                pushed / workerClocks,
                bytesBroadcast / workerClocks,
                kept / (workerClocks * settings.floats()),
                outcomes.stream().map(ExchangeWorker.Outcome::replica).toList());
    }
}
