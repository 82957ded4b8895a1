package io.sluice.perf.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.perf.cluster.Cost;
import io.sluice.perf.experiment.Row;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExchangeRowTest {
    private static final long S = 1_000_000_000;

    /** All times begin with the first of all pushes, and end with the last worker's; costs are columns of their own. */
    @Test
    void clocksBeginWithTheFirstPush() {
        List<NetworkExchange.Times> workers = List.of(
                new NetworkExchange.Times(times(2 * S), times(5 * S), times(4 * S), times(7 * S)),
                new NetworkExchange.Times(times(S), times(6 * S), times(3 * S), times(6 * S)));
        Row row = NetworkExchange.SCENARIO
                .layout()
                .rows(List.of(NetworkExchange.sample(workers, 0, new Cost(3, 50, 80, 2))))
                .getFirst();
        assertEquals(6, row.number("seconds"));
        assertEquals(5, row.number("push_seconds"));
        assertEquals(3, row.number("first_slice_seconds"));
        assertEquals(3, row.number("cpu_seconds"));
        assertEquals(50L, row.get("max_uplink_bytes"));
        assertEquals(80L, row.get("bytes_on_wire"));
        assertEquals(2L, row.get("dropped"));
        assertEquals(1, row.get("clocks"));
    }

    private static long[] times(long ns) {
        return new long[] {ns};
    }
}
