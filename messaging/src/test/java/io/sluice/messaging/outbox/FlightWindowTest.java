package io.sluice.messaging.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class FlightWindowTest {
    private long acknowledged;
    private final FlightWindow window = new FlightWindow(() -> acknowledged, 1_000);

    @Test
    void closesWhenAcknowledgementsLagAndOpensWhenTheyCome() {
        assertTrue(window.admits(0, 1_000));
        assertTrue(window.admits(600, 400));
        assertFalse(window.admits(600, 401));
        acknowledged = 1;
        assertTrue(window.admits(600, 401));
    }

    @Test
    void aFrameLongerThanTheWindowIsSentAlone() {
        assertTrue(window.admits(0, 5_000));
        assertFalse(window.admits(5_000, 5_000));
        acknowledged = 5_000;
        assertTrue(window.admits(5_000, 5_000));
    }

    /**
     * A receiver that has consumed everything may not have reported a part; the link must not wait for that forever.
     */
    @Test
    void neverWaitsForWhatAReceiverDoesNotReport() {
        Acknowledgements tardy = new Acknowledgements() {
            @Override
            public long acknowledged() {
                return acknowledged;
            }

            @Override
            public long unreported() {
                return 4_000;
            }
        };
        FlightWindow small = new FlightWindow(tardy, 1_000);
        assertTrue(small.admits(3_999, 300), "the receiver may have consumed all");
        assertTrue(small.admits(4_300, 300), "and another frame is what makes it say so");
        assertFalse(small.admits(4_301, 300));
        FlightWindow large = new FlightWindow(tardy, 10_000);
        assertTrue(large.admits(9_700, 300));
        assertFalse(large.admits(9_701, 300));
    }

    @Test
    void anEmptyWindowIsRefused() {
        String message = assertThrows(IllegalArgumentException.class, () -> new FlightWindow(() -> 0, 0))
                .getMessage();
        assertEquals("in-flight window is 0 bytes, expected 1 or more", message);
    }
}
