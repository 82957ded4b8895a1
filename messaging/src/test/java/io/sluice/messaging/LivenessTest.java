package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.api.MessagingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LivenessTest {
    private static final long MS = 1_000_000;

    /** Close to the wrap of nanoTime, which may happen at any moment. */
    private static final long START = Long.MAX_VALUE - 150 * MS;

    private final Liveness liveness = new Liveness(3, 100 * MS, 300 * MS, HostLoad.QUIET, START);

    /** Watches a peer with enough heartbeats before the start that its intervals are known. */
    private void watch(int peer) {
        liveness.watch(peer, START - 800 * MS);
        for (int beat = 7; beat >= 0; beat--) {
            liveness.heard(peer, START - beat * 100 * MS);
        }
    }

    @Test
    void silenceBeyondTheTimeoutIsOverdue() {
        assertEquals(Liveness.NONE, liveness.firstOverdue(START + 1000 * MS), "no peer is watched");
        watch(0);
        watch(2);
        assertEquals(Liveness.NONE, liveness.firstOverdue(START + 300 * MS));
        assertEquals(0, liveness.firstOverdue(START + 301 * MS));
        liveness.heard(0, START + 290 * MS);
        assertEquals(2, liveness.firstOverdue(START + 301 * MS));
        assertEquals(301 * MS, liveness.silenceNs(2, START + 301 * MS));
        liveness.unwatch(2);
        assertFalse(liveness.isWatched(2));
        assertEquals(Liveness.NONE, liveness.firstOverdue(START + 301 * MS));
        assertEquals(Liveness.NONE, liveness.firstOverdue(START + 870 * MS), "twice as long as it was silent before");
        assertEquals(0, liveness.firstOverdue(START + 871 * MS));
    }

    @Test
    void anOldNewsItemDoesNotAge() {
        liveness.watch(1, START + 50 * MS);
        liveness.heard(1, START);
        assertEquals(0, liveness.silenceNs(1, START + 50 * MS));
    }

    @Test
    void aPeerThatWasLateMayBeLateAgain() {
        watch(0);
        watch(1);
        liveness.heard(0, START + 100 * MS);
        liveness.heard(1, START + 250 * MS);
        assertEquals(300 * MS, liveness.allowedNs(0));
        assertEquals(500 * MS, liveness.allowedNs(1));
        assertEquals(0, liveness.firstOverdue(START + 600 * MS));
        liveness.heard(0, START + 600 * MS);
        assertEquals(Liveness.NONE, liveness.firstOverdue(START + 750 * MS), "0 is late as it has just been");
        assertEquals(1, liveness.firstOverdue(START + 751 * MS));
    }

    @Test
    void ourOwnPauseIsForgiven() {
        liveness.watch(0, START);
        liveness.extendDeadlines(5000 * MS);
        assertEquals(Liveness.NONE, liveness.firstOverdue(START + 5000 * MS));
    }

    @Test
    void aSignOfLifeIsDueOncePerInterval() {
        assertTrue(liveness.heartbeatDue(START));
        assertFalse(liveness.heartbeatDue(START + 99 * MS));
        assertTrue(liveness.heartbeatDue(START + 100 * MS));
        assertTrue(liveness.heartbeatDue(START + 1000 * MS));
        assertFalse(liveness.heartbeatDue(START + 1001 * MS), "missed ones are not made up for");
    }

    @Test
    void refusesATimeoutThatOneLostSignWouldExceed() {
        MessagingException refusal =
                assertThrows(MessagingException.class, () -> new Liveness(1, 100 * MS, 150 * MS, HostLoad.QUIET, 0));
        assertEquals(
                "timeoutNs=150000000 is outside the allowed range 200000000 to 3600000000000", refusal.getMessage());
        assertThrows(MessagingException.class, () -> new Liveness(-1, 100 * MS, 300 * MS, HostLoad.QUIET, 0));
        assertThrows(MessagingException.class, () -> new Liveness(1, 0, 300 * MS, HostLoad.QUIET, 0));
    }
}
