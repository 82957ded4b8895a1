package io.sluice.perf.latency;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class HopsTest {
    /** Hosts are sorted by the arrival of frames, even if the clock wraps or one frame arrived out of order. */
    @Test
    void findsTheOrderOfTheChain() {
        long wrap = Long.MAX_VALUE - 1;
        long[][] arrivals = {{20, wrap + 20, 20}, {30, wrap + 30, 19}, {10, wrap + 10, 11}, {0, wrap, 12}};
        assertEquals(List.of(3, 2, 0, 1), Hops.chain(arrivals));
    }
}
