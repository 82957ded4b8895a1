package io.sluice.perf.layers;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.perf.race.Quartiles;
import java.util.Arrays;

/**
 * What one method took over links of one rate. Times are in milliseconds, medians over the iterations of all workers
 * unless it is said otherwise.
 *
 * @param model           that was trained
 * @param scale           by which its layers' parameters were divided
 * @param elements        its parameters
 * @param workers         number of workers
 * @param servers         number of servers
 * @param rate            of each host's link, bits per second
 * @param method          for people
 * @param slice           floats of a slice at most
 * @param order           of slices that wait
 * @param computeMs       computing of an iteration
 * @param wireMs          the model's way to the servers alone
 * @param boundMs         no order gets below: the larger of the two
 * @param serialMs        nothing at the same time
 * @param forecastMs      the planned schedule
 * @param iterationMs     measured
 * @param iterationLowMs  lower quartile
 * @param iterationHighMs upper quartile
 * @param iterationMeanMs mean: above the median where some iterations take much longer than most
 * @param delayMs         of it before the first layer was there
 * @param waitMs          of it before any layer was there
 * @param iterations      that were counted, of all workers and turns
 * @param samplesPerS     of all workers, at the batch given, by the median
 * @param ratioToBaseline throughput over that of whole layers, fifo, same run
 * @param ratioForecast   what the schedules say of that ratio
 * @param dropped         packets that links had no room for
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record LayersRow(
        String model,
        int scale,
        long elements,
        int workers,
        int servers,
        long rate,
        String method,
        int slice,
        String order,
        double computeMs,
        double wireMs,
        double boundMs,
        double serialMs,
        double forecastMs,
        double iterationMs,
        double iterationLowMs,
        double iterationHighMs,
        double iterationMeanMs,
        double delayMs,
        double waitMs,
        int iterations,
        double samplesPerS,
        double ratioToBaseline,
        double ratioForecast,
        long dropped) {
    private static final double MS = 1e3;

    /**
     * Sums up.
     *
     * @param plan      of the run
     * @param method    that was measured
     * @param rate      of the links
     * @param batch     samples of a worker in an iteration
     * @param seen      by all workers in all turns
     * @param dropped   in all turns
     * @param baselineS median iteration of the baseline, same run
     */
    static LayersRow of(
            TrainingPlan plan, SyncMethod method, long rate, int batch, Training seen, long dropped, double baselineS) {
        Forecast forecast = Forecast.of(plan, method, rate);
        Quartiles iteration = Quartiles.of(seen.iterations());
        return new LayersRow(
                plan.model().name(),
                plan.model().scale(),
                plan.model().elements(),
                plan.workers(),
                plan.servers(),
                rate,
                method.words(),
                method.sliceElements(),
                method.order(),
                MS * forecast.compute(),
                MS * forecast.wire(),
                MS * forecast.bound(),
                MS * forecast.serial(),
                MS * forecast.iteration(),
                MS * iteration.median(),
                MS * iteration.low(),
                MS * iteration.high(),
                MS * Arrays.stream(seen.iterations()).average().orElseThrow(),
                MS * Quartiles.of(seen.delays()).median(),
                MS * Quartiles.of(seen.waits()).median(),
                seen.iterations().length,
                plan.workers() * batch / iteration.median(),
                baselineS / iteration.median(),
                Forecast.of(plan, SyncMethod.BASELINE, rate).iteration() / forecast.iteration(),
                dropped);
    }
}
