package io.sluice.perf.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.consistency.terms.Protocol;
import io.sluice.perf.cluster.Cost;
import io.sluice.perf.cluster.Star;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExchangeRowTest {
    private static final long S = 1_000_000_000;
    private static final Cost COST = new Cost(3, 50, 80, 2);

    /** All times begin with the first of all pushes, and end with the last worker's. */
    @Test
    void clocksBeginWithTheFirstPush() {
        List<NetworkExchangeTask.Times> workers = List.of(
                new NetworkExchangeTask.Times(times(2 * S), times(5 * S), times(4 * S), times(7 * S)),
                new NetworkExchangeTask.Times(times(S), times(6 * S), times(3 * S), times(6 * S)));
        assertEquals(new NetworkClock(6, 5, 3, COST), NetworkClock.of(workers, 0, COST));
    }

    private static long[] times(long ns) {
        return new long[] {ns};
    }

    /** 4 workers push 4 bytes for each of 12.5 million parameters to 2 servers: 100 MB each, 4 s at 200 Mbit/s. */
    @Test
    void takesMediansAndAddsDropsUp() {
        Star star = new Star(2, 4, 200_000_000, 1_500);
        ExchangeSettings settings = new ExchangeSettings(4, 12_500_000, 0.2, 1, 2);
        List<NetworkClock> seen = List.of(
                new NetworkClock(6, 5, 1, COST),
                new NetworkClock(5, 3, 3, COST),
                new NetworkClock(9, 4, 2, new Cost(4, 60, 90, 0)));
        ExchangeRow row = ExchangeRow.of(star, settings, Protocol.UPDATE, "chain", seen);
        ExchangeRow expected = new ExchangeRow(
                12_500_000, 4, 2, 200_000_000, 0.2, "update", "chain", 6, 5.5, 7.5, 4, 2, 4, 80, 50, 3, 4, 3);
        assertEquals(expected, row);
    }
}
