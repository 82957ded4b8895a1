package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

class RejectionCountsTest {
    @Test
    void countsByReason() {
        RejectionCounts counts = new RejectionCounts();
        assertEquals("none", counts.toString());

        counts.increment(Rejection.STALE_EPOCH);
        counts.increment(Rejection.BAD_CHECKSUM);
        counts.increment(Rejection.BAD_CHECKSUM);

        assertEquals(2, counts.count(Rejection.BAD_CHECKSUM));
        assertEquals(0, counts.count(Rejection.DUPLICATE));
        assertEquals(3, counts.total());
        assertEquals("BAD_CHECKSUM=2 STALE_EPOCH=1", counts.toString());
    }

    @Test
    void everyReasonExplainsItself() {
        for (Rejection rejection : Rejection.values()) {
            assertFalse(rejection.explanation().isBlank());
            assertEquals(rejection, Rejection.at(rejection.ordinal()));
        }
    }
}
