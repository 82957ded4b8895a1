package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.messaging.Link;
import io.sluice.messaging.api.MessagingException;
import io.sluice.tree.FrameRing;
import org.junit.jupiter.api.Test;

class RingMemoryTest {
    private static final int LENGTH = (16 << 20) - 1;

    @Test
    void theErrorStatesTheMemoryOfAllRings() {
        OutOfMemoryError error = new OutOfMemoryError("Cannot reserve 16777216 bytes of direct buffer memory");
        MessagingException told = assertThrows(
                MessagingException.class,
                () -> new RingMemory(64, LENGTH).allocate(() -> {
                    throw error;
                }));
        assertEquals(
                "this worker relays in 64 broadcast trees, with a ring of 16,777,216 bytes for each, and the JVM"
                        + " lacks the direct memory for all of them, 1,073,741,824 bytes (Cannot reserve"
                        + " 16777216 bytes of direct buffer memory): give it more with -XX:MaxDirectMemorySize, or"
                        + " set a shorter -Dsluice.relay.length",
                told.getMessage());
        assertSame(error, told.getCause());
    }

    @Test
    void aRingWithRoomIsReturned() {
        FrameRing ring = new FrameRing(new Link[0], 1 << 10);
        assertSame(ring, new RingMemory(1, 1 << 10).allocate(() -> ring));
    }
}
