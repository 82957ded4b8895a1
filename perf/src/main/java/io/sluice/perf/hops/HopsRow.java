package io.sluice.perf.hops;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import org.HdrHistogram.Histogram;

/**
 * Times of one kind, in seconds.
 *
 * @param what         {@code hop} from one worker of the chain to the next, or {@code control} to its end and back
 * @param place        of the hop, from 1; the load of the links beside control frames
 * @param workers      of the chain
 * @param rate         of each link, bits per second
 * @param frameSeconds that a link takes for the frame's bytes, with all headers
 * @param count        how many
 * @param p50          half take less
 * @param p90          nine of ten take less
 * @param p99          99 of 100 take less
 * @param max          the longest
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record HopsRow(
        String what,
        String place,
        int workers,
        long rate,
        double frameSeconds,
        long count,
        double p50,
        double p90,
        double p99,
        double max) {
    private static final double NS = 1e9;

    static HopsRow of(String what, String place, HopsPlan plan, double frameSeconds, Histogram seen) {
        return new HopsRow(
                what,
                place,
                plan.star().workers(),
                plan.star().rate(),
                frameSeconds,
                seen.getTotalCount(),
                seen.getValueAtPercentile(50) / NS,
                seen.getValueAtPercentile(90) / NS,
                seen.getValueAtPercentile(99) / NS,
                seen.getMaxValue() / NS);
    }
}
