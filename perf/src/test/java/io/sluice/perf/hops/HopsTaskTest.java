package io.sluice.perf.hops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class HopsTaskTest {
    /** Whoever has the frames first stands first, also if the clock wraps, and if one frame came out of the order. */
    @Test
    void findsTheOrderOfTheChain() {
        long wrap = Long.MAX_VALUE - 1;
        long[][] arrivals = {{20, wrap + 20, 20}, {30, wrap + 30, 19}, {10, wrap + 10, 11}, {0, wrap, 12}};
        assertEquals(List.of(3, 2, 0, 1), HopsTask.chain(arrivals));
    }
}
