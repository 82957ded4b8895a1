package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class PhiAccrualDetectorTest {
    private static final long MS = 1_000_000;
    private static final long INTERVAL = 250 * MS;
    private static final long TIMEOUT = 2_500 * MS;

    /** Close to the wrap of nanoTime, which may happen at any moment. */
    private long now = Long.MAX_VALUE - 1_000 * MS;

    private final PhiAccrualDetector peer = new PhiAccrualDetector(INTERVAL, TIMEOUT, HostLoad.QUIET, now);

    private void beatAfter(long gapNs) {
        now += gapNs;
        peer.heard(now);
    }

    private void beats(int count) {
        for (int i = 0; i < count; i++) {
            beatAfter(INTERVAL);
        }
    }

    @Test
    void aPunctualPeerIsAllowedTheTimeoutAndNoMore() {
        beats(1_000);
        assertEquals(TIMEOUT, peer.allowedNs());
        assertFalse(peer.isOverdue(now + TIMEOUT));
        assertTrue(peer.isOverdue(now + TIMEOUT + 1));
        assertEquals(TIMEOUT + 1, peer.silenceNs(now + TIMEOUT + 1));
    }

    @Test
    void onePauseAllowsOneTwiceAsLongUntilItIsForgotten() {
        beats(300);
        beatAfter(2_000 * MS);
        assertEquals(4_000 * MS, peer.allowedNs());
        beats(127);
        assertEquals(4_000 * MS, peer.allowedNs(), "it is among the last 128");
        beats(1);
        assertEquals(TIMEOUT, peer.allowedNs(), "it is not any more");
    }

    /** None of these gaps is longer than half the timeout, so twice the longest would not be enough. */
    @Test
    void aPeerThatIsOftenLateIsAllowedMoreThanOneThatIsSeldomLate() {
        for (int i = 0; i < 64; i++) {
            beatAfter(INTERVAL);
            beatAfter(1_200 * MS);
        }
        // The mean is 725 ms, the deviation 475 ms.
        assertEquals(725 + 5.612 * 475, (double) peer.allowedNs() / MS, 1);
    }

    @Test
    void aBunchAfterAPauseDoesNotHideIt() {
        beats(10);
        beatAfter(2_000 * MS);
        for (int i = 0; i < 500; i++) {
            beatAfter(MS);
        }
        assertEquals(4_000 * MS, peer.allowedNs());
    }

    @Test
    void pausesOfTheListenerAreNeitherSilenceNorGaps() {
        beats(10);
        now += 8_000 * MS;
        peer.extendDeadline(8_000 * MS - INTERVAL);
        assertEquals(INTERVAL, peer.silenceNs(now));
        peer.heard(now);
        assertEquals(TIMEOUT, peer.allowedNs());
    }

    @Test
    void whereThreadsWaitForProcessorsAllMayBeSilentForLonger() {
        byte[] text = "9.1 8.2 7.3 20/812 4711".getBytes(StandardCharsets.US_ASCII);
        HostLoad load = new HostLoad(
                into -> {
                    System.arraycopy(text, 0, into, 0, text.length);
                    return text.length;
                },
                2,
                () -> 0);
        PhiAccrualDetector starved = new PhiAccrualDetector(INTERVAL, TIMEOUT, load, now);
        assertEquals(5 * TIMEOUT, starved.allowedNs(), "two of them, times 2.5");
        assertFalse(starved.isOverdue(now + 5 * TIMEOUT));
        assertTrue(starved.isOverdue(now + 5 * TIMEOUT + 1));
    }

    @Test
    void aRestartedPeerHasNoHistory() {
        beats(20);
        assertEquals(TIMEOUT, peer.allowedNs());
        peer.restart(now);
        beats(7);
        assertEquals(2 * TIMEOUT, peer.allowedNs(), "it may pause as it has not been seen to do yet");
        beats(1);
        assertEquals(TIMEOUT, peer.allowedNs());
    }

    /** With any history, no peer is dead before the timeout, and each peer is after two timeouts. */
    @Test
    void isAlwaysBetweenTheBounds() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            long scale = 1L << random.nextInt(44);
            if (0 == random.nextInt(200)) {
                peer.restart(now);
            } else if (0 == random.nextInt(50)) {
                long stalled = random.nextLong(scale);
                now += stalled;
                peer.extendDeadline(stalled);
            } else {
                beatAfter(random.nextLong(scale));
            }
            long allowed = peer.allowedNs();
            assertTrue(
                    allowed >= TIMEOUT && allowed <= PhiAccrualDetector.CEILING * TIMEOUT,
                    allowed + " ns, seed " + seed);
        }
    }
}
