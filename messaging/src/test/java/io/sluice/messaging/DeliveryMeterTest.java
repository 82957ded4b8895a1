package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.bandwidth.DeliveryMeter;
import io.sluice.messaging.bandwidth.StreamPositions;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The driver's counters as they really move. */
@Timeout(180)
class DeliveryMeterTest {
    private static final int WINDOW = 256 << 10;

    @Test
    @Tag("slow")
    void readsWhatAUdpReceiverHasConsumed() {
        try (Rig rig = new Rig(Rig.shortTerms().receiverWindow(WINDOW).mtu(8_192))) {
            Inbox inbox = rig.inbox("udp", (buffer, offset, length, template, session) -> FrameHandler.Action.CONTINUE);
            Link link = rig.sender.openLink("test", rig.channels.udpTo(inbox.endpoint()), Rig.STREAM);
            StreamPositions positions =
                    new StreamPositions(rig.sender.aeron().countersReader(), link.registrationId(), link.position());
            DeliveryMeter meter = new DeliveryMeter(positions);
            Rig.until(positions::refresh, () -> inbox.poll(16));
            assertTrue(positions.window() > 0 && positions.window() <= WINDOW);
            assertEquals(0, positions.acknowledged());

            UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(8_000));
            long[] last = {0};
            Rig.until(() -> meter.rate().samplesTaken() >= 3, () -> {
                link.offer(frame, 0, frame.capacity());
                inbox.poll(16);
                meter.poll(System.nanoTime(), link.position(), true, false);
                assertTrue(positions.acknowledged() >= last[0], "never decreases");
                assertTrue(positions.acknowledged() <= positions.sent(), "nothing is consumed before it is sent");
                last[0] = positions.acknowledged();
            });
            assertTrue(meter.rate().bytesPerSecond() > 0);
            // All is consumed, and all but a quarter window is reported.
            Rig.until(() -> positions.sent() == link.position(), () -> inbox.poll(16));
            Rig.until(() -> meter.unacknowledged() <= WINDOW / 4 + 8_192, () -> inbox.poll(16));
            link.close();
            Rig.until(() -> !positions.refresh(), () -> inbox.poll(16));
        }
    }

    @Test
    void hasNothingToSayOfSharedMemory() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("ipc", (buffer, offset, length, template, session) -> FrameHandler.Action.CONTINUE);
            Link link = rig.link(inbox);
            StreamPositions positions =
                    new StreamPositions(rig.sender.aeron().countersReader(), link.registrationId(), link.position());
            assertFalse(positions.refresh());
            assertEquals(0, new DeliveryMeter(positions).unacknowledged());
        }
    }
}
