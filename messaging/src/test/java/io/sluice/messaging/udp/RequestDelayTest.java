package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The excess delay of a request that a sender states in its reply. */
class RequestDelayTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long RECEIVER = 7;

    private final RequestDelay delay = new RequestDelay();

    @Test
    void countsWhatExceedsTheFastestWhateverTheClocks() {
        for (long apart : new long[] {0, 1_000_000 * MS, -1_000_000 * MS, Long.MIN_VALUE / 2}) {
            RequestDelay fresh = new RequestDelay();
            assertEquals(0, fresh.of(RECEIVER, apart + 3 * MS, 0));
            assertEquals(0, fresh.of(RECEIVER, apart + MS, MS));
            assertEquals(25 * MS, fresh.of(RECEIVER, apart + 26 * MS, 2 * MS), MS / 1_000);
        }
    }

    @Test
    void anotherReceiverHasAnotherClock() {
        delay.of(RECEIVER, MS, 0);
        assertEquals(0, delay.of(RECEIVER + 1, 1_000 * MS, MS));
    }

    /** Clocks that run apart by 50 parts in a million, over an hour with a request every 20 ms. */
    @Test
    void clocksThatRunApartAddLittle() {
        long most = 0;
        for (long now = 0; now < TimeUnit.HOURS.toNanos(1); now += 20 * MS) {
            most = Math.max(most, delay.of(RECEIVER, 5 * MS + now / 20_000, now));
        }
        assertTrue(most < MS, "states " + most + " ns");
    }

    /** If a receiver sends without a pause, all its requests wait. */
    @Test
    void aWaitThatLastsForAMinuteIsStillStated() {
        delay.of(RECEIVER, MS, 0);
        for (long now = MS; now < TimeUnit.SECONDS.toNanos(90); now += 20 * MS) {
            long stated = delay.of(RECEIVER, 26 * MS, now);
            assertTrue(stated > 15 * MS && stated <= 25 * MS, "states " + stated + " ns after " + now);
        }
    }

    @Test
    void clockJumpRestartsMeasurement() {
        delay.of(RECEIVER, MS, 0);
        assertEquals(0, delay.of(RECEIVER, 60_000 * MS, MS));
        assertEquals(5 * MS, delay.of(RECEIVER, 60_005 * MS, 2 * MS), MS / 1_000);
    }
}
