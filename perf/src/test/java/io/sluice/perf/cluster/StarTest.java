package io.sluice.perf.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.ClusterSettings;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class StarTest {
    private static final long SEED = new SplittableRandom().nextLong();

    /** Whatever the rate, the window that all workers share fits the queue of a server's link. */
    @Test
    void theWindowFitsTheQueueOfOneLink() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 1_000; i++) {
            long rate = random.nextLong(1_000_000, 10_000_000_000L);
            Star star = new Star(1, random.nextInt(1, Star.MAX_NODES), rate, 1_500);
            double queue = rate / 8.0 * star.network().queue().toMillis() / 1e3;
            assertTrue(
                    star.window() == 128 << 10 || star.window() <= queue,
                    () -> "seed " + SEED + ": " + star + " has a window of " + star.window());
        }
    }

    /** What a node sends fits its link with the headers that the log does not count. */
    @Test
    void aNodeSendsNoFasterThanItsLink() {
        Star star = new Star(2, 4, 200_000_000, 1_500);
        ClusterSettings terms = star.terms().build();
        double onWire = terms.nodeBudget().rate() * 1_450.0 / 1_408;
        assertTrue(onWire < star.rate() && onWire > 0.95 * star.rate(), () -> "on the wire: " + onWire);
        assertEquals(star.rate(), terms.linkRate());
        assertEquals(2, star.wireSeconds(50_000_000), 1e-9);
    }
}
