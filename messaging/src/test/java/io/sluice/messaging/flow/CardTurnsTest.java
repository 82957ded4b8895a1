package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Publications that share a card of 8 Gbit/s: one byte in a nanosecond. */
class CardTurnsTest {
    private static final long RATE = 8_000_000_000L;
    private static final int BURST = 10_000;
    private static final int TURN = 4_000;
    private static final String FIRST = "first";
    private static final String SECOND = "second";

    private final CardTurns whole = new CardTurns(new TokenBucket(RATE, BURST), true);
    private final CardTurns parts = new CardTurns(new TokenBucket(RATE, BURST), false);

    @Test
    void partsAreWhatThereIs() {
        assertEquals(BURST, parts.take(FIRST, BURST, 0));
        assertEquals(100, parts.take(FIRST, TURN, 100));
        assertEquals(20, parts.take(SECOND, TURN, 120));
    }

    @Test
    void aWholeTurnIsTakenWhenItIsThere() {
        assertEquals(BURST, whole.take(FIRST, BURST, 0));
        assertEquals(0, whole.take(FIRST, TURN, TURN - 1));
        assertEquals(TURN, whole.take(FIRST, TURN, TURN));
    }

    @Test
    void moreThanHalfOfTheBucketIsTakenFromHalfOn() {
        assertEquals(BURST, whole.take(FIRST, 2 * BURST, 0));
        assertEquals(0, whole.take(FIRST, 2 * BURST, BURST / 2 - 1));
        assertEquals(BURST / 2, whole.take(FIRST, 2 * BURST, BURST / 2));
    }

    @Test
    void aWaitingSenderIsNextAfterOneThatAFullBucketServed() {
        whole.take(FIRST, BURST, 0);
        assertEquals(0, whole.take(FIRST, TURN, 0));
        assertEquals(BURST, whole.take(SECOND, 2 * BURST, BURST));
        assertEquals(0, whole.take(SECOND, 10, BURST + TURN));
        assertEquals(TURN, whole.take(FIRST, TURN, BURST + TURN));
        assertEquals(10, whole.take(SECOND, 10, BURST + TURN + 10));
    }

    @Test
    void aWaitingSenderIsSeenUntilNoneAsks() {
        whole.take(FIRST, BURST, 0);
        assertFalse(whole.haveRefused());
        assertEquals(0, whole.take(FIRST, TURN, 0));
        assertTrue(whole.haveRefused());
        assertFalse(whole.haveRefused(), "it was closed: it asks no more");
    }

    /** One sender asks for every byte that the bucket gets, the other for turns: both continue to send. */
    @Test
    void aSenderOfSmallPartsLeavesTurnsToOthers() {
        whole.take(FIRST, BURST, 0);
        long little = 0;
        long turns = 0;
        long end = TimeUnit.MILLISECONDS.toNanos(1);
        for (long now = 0; now < end; now += 10) {
            little += whole.take(FIRST, 10, now);
            turns += whole.take(SECOND, TURN, now);
        }
        assertTrue(turns > end / 2, turns + " bytes in turns");
        assertTrue(little > 0, little + " bytes in between");
    }

    @Test
    void aWaitingSenderThatIsGoneBlocksOthersUntilTheBucketIsFullTwice() {
        whole.take(FIRST, BURST, 0);
        assertEquals(0, whole.take(FIRST, TURN, 0));
        assertEquals(0, whole.take(SECOND, 10, BURST - 1));
        assertEquals(10, whole.take(SECOND, 10, BURST));
        assertEquals(0, whole.take(SECOND, 10, BURST + 9));
        assertEquals(10, whole.take(SECOND, 10, BURST + 10));
        assertEquals(10, whole.take(SECOND, 10, BURST + 11));
    }
}
