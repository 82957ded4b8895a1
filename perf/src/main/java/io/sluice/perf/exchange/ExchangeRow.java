package io.sluice.perf.exchange;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.consistency.terms.Protocol;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.race.Quartiles;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one way to exchange took. All but {@code dropped} and what was asked for are medians over the clocks that count;
 * times begin with the first push.
 *
 * @param params            parameters
 * @param workers           number of workers
 * @param servers           number of servers
 * @param rate              of each host's link, bits per second
 * @param kept              share of elements that were pushed and broadcast
 * @param protocol          what travelled
 * @param tree              who passed broadcasts on to whom
 * @param seconds           until the last worker had applied the last slice
 * @param secondsLow        lower quartile
 * @param secondsHigh       upper quartile
 * @param pushSeconds       until the last link to a server had taken the last push
 * @param firstSliceSeconds until the last worker had applied the first slice
 * @param wireSeconds       that a server's link takes for what all workers push of dense f32, without headers
 * @param bytesOnWire       that all hosts have sent in a clock, with all headers
 * @param maxUplinkBytes    that one host has sent
 * @param cpuSeconds        of all nodes and media drivers
 * @param dropped           packets that links had no room for, in all clocks
 * @param clocks            that count
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record ExchangeRow(
        int params,
        int workers,
        int servers,
        long rate,
        double kept,
        String protocol,
        String tree,
        double seconds,
        double secondsLow,
        double secondsHigh,
        double pushSeconds,
        double firstSliceSeconds,
        double wireSeconds,
        long bytesOnWire,
        long maxUplinkBytes,
        double cpuSeconds,
        long dropped,
        int clocks) {
    /** Sums up the clocks that count. */
    static ExchangeRow of(
            Star star, ExchangeSettings settings, Protocol protocol, String tree, List<NetworkClock> seen) {
        Quartiles seconds =
                Quartiles.of(seen.stream().mapToDouble(NetworkClock::seconds).toArray());
        long pushed = (long) Float.BYTES * settings.floats() * star.workers() / star.servers();
        return new ExchangeRow(
                settings.floats(),
                star.workers(),
                star.servers(),
                star.rate(),
                settings.kept(),
                protocol.configName(),
                tree,
                seconds.median(),
                seconds.low(),
                seconds.high(),
                median(seen, NetworkClock::push),
                median(seen, NetworkClock::firstSlice),
                star.wireSeconds(pushed),
                (long) median(seen, clock -> clock.cost().wireBytes()),
                (long) median(seen, clock -> clock.cost().maxUplinkBytes()),
                median(seen, clock -> clock.cost().cpuSeconds()),
                seen.stream().mapToLong(clock -> clock.cost().dropped()).sum(),
                seen.size());
    }

    private static double median(List<NetworkClock> seen, ToDoubleFunction<NetworkClock> figure) {
        return Quartiles.of(seen.stream().mapToDouble(figure).toArray()).median();
    }
}
