package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a wait reports, and when. */
class PatienceTest {
    private static final long START_NS = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5); // monotonic clocks may overflow

    private final List<String> told = new ArrayList<>();

    private static long at(double seconds) {
        return START_NS + (long) (seconds * 1e9);
    }

    private Patience patience(long limitNs) {
        return new Patience("worker 0", limitNs, told::add, START_NS);
    }

    private void look(Patience patience, int from, int to) {
        for (int second = from; second < to; second++) {
            if (patience.isTime(at(second))) {
                patience.report("version 7 at " + second, at(second));
            }
        }
    }

    @Test
    void nothingIsSaidOfWhatTakesLessThanTenSeconds() {
        Patience patience = patience(Patience.UNLIMITED);
        for (int wait = 0; wait < 100; wait += 10) {
            patience.begin(at(wait));
            look(patience, wait, wait + 10);
        }
        assertEquals(List.of(), told);
    }

    @Test
    void itIsSaidAfterTenSecondsAndAgainInGrowingIntervals() {
        look(patience(TimeUnit.SECONDS.toNanos(600)), 0, 600);
        assertEquals("worker 0 has waited for 10 s for version 7 at 10; it waits at most 590 s more", told.getFirst());
        int[] seconds = {10, 20, 40, 80, 140, 200, 260, 320, 380, 440, 500, 560};
        assertEquals(seconds.length, told.size(), told::toString);
        for (int i = 0; i < seconds.length; i++) {
            assertTrue(told.get(i).contains(" for " + seconds[i] + " s for "), told.get(i));
        }
    }

    @Test
    void aWaitThatIsNotLookedAtSaysOneSentenceInTenSecondsAtMost() {
        Patience patience = patience(Patience.UNLIMITED);
        look(patience, 35, 45);
        assertEquals(List.of("worker 0 has waited for 35 s for version 7 at 35; it waits without a limit"), told);
    }

    @Test
    void aDelayExtendsTheLimitAndIsReported() {
        Patience patience = patience(TimeUnit.SECONDS.toNanos(15));
        assertFalse(patience.isOver(at(15)));
        assertTrue(patience.isOver(at(15.1)));
        patience.extend(at(12));
        assertEquals(TimeUnit.SECONDS.toNanos(4), patience.waitedNs(at(16)));
        look(patience, 16, 17);
        assertEquals(List.of("worker 0 has waited for 16 s for version 7 at 16; it waits at most 11 s more"), told);
        assertFalse(patience.isOver(at(27)));
        assertTrue(patience.isOver(at(27.1)));
    }

    @Test
    void whereNothingCanBeNamedNothingIsSaid() {
        Patience patience = patience(Patience.UNLIMITED);
        patience.report("", at(10));
        assertEquals(List.of(), told);
        assertFalse(patience.isTime(at(19)));
        assertTrue(patience.isTime(at(20)));
    }
}
