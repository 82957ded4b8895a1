package io.sluice.perf.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.Test;

final class PatienceTest {
    private final long[] now = new long[1];
    private RuntimeException end;
    private final Patience patience = new Patience("a frame", NoOpIdleStrategy.INSTANCE, () -> now[0], () -> end);

    @Test
    void noProgressIsAnError() {
        IllegalStateException error = assertThrows(IllegalStateException.class, () -> {
            while (true) {
                patience.after(0);
                now[0] += 1_000_000;
            }
        });
        assertEquals("waited 10 s for a frame", error.getMessage());
    }

    @Test
    void slowProgressIsNotAnError() {
        for (int i = 0; i < 100; i++) {
            for (int k = 0; k < 5_000; k++) {
                patience.after(0);
                now[0] += 1_000_000;
            }
            patience.after(1);
        }
        assertEquals(500_000_000_000L, now[0]);
    }

    /** The cause, not the wait: a stream whose transport has ended has no frames, and does not report that itself. */
    @Test
    void whatHasEndedIsNotWaitedFor() {
        IllegalStateException error = assertThrows(IllegalStateException.class, () -> {
            for (int i = 0; i < 5_000; i++) {
                end = i < 2_000 ? null : new IllegalStateException("the driver has ended");
                patience.after(0);
            }
        });
        assertEquals("the driver has ended", error.getMessage());
        assertEquals(0, now[0]);
    }
}
