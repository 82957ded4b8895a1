package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.bandwidth.StreamPositions;
import io.sluice.messaging.outbox.FlightWindow;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class PacingTest {
    private static final int WINDOW = 256 << 10;
    private static final int MTU = 8_192;

    private final Frames frames = new Frames();
    private final int length = frames.encode(1, 1_500);

    /** The receiver does not read: Aeron alone would accept its window and more. */
    @Test
    void aLinkWhoseReceiverLagsCloses() {
        try (Rig rig = new Rig(Rig.shortTerms().receiverWindow(WINDOW).mtu(MTU))) {
            Inbox inbox = rig.inbox("udp", (buffer, offset, size, template, session) -> Action.CONTINUE);
            Link link = rig.sender.openLink("test", rig.channels.udpTo(inbox.endpoint()), Rig.STREAM);
            StreamPositions positions =
                    new StreamPositions(rig.sender.aeron().countersReader(), link.registrationId(), link.position());
            Rig.until(() -> positions.refresh() && link.room() > WINDOW / 2, () -> inbox.poll(16));
            FlightWindow window = new FlightWindow(positions::acknowledged, WINDOW / 2);
            Pacing pacing =
                    new NodeBudget(Budget.NONE, Budget.NONE, SystemNanoClock.INSTANCE).pace(link, length, window);

            int stalled = send(link, pacing, Integer.MAX_VALUE);
            assertFalse(pacing.admits(length));
            assertTrue(link.room() > 0, "Aeron would take more");
            assertTrue(link.position() <= WINDOW / 2, link.position() + " bytes are on their way");
            assertTrue(stalled > 10);

            int more = 500;
            int[] sent = {0};
            Rig.until(() -> inbox.frames() == stalled + more, () -> {
                positions.refresh();
                sent[0] += send(link, pacing, more - sent[0]);
                inbox.poll(16);
                assertTrue(link.position() - positions.acknowledged() <= WINDOW / 2, "never more on their way");
            });
        }
    }

    private int send(Link link, Pacing pacing, int limit) {
        int sent = 0;
        while (sent < limit && pacing.admits(length) && link.offer(frames.buffer(), 0, length)) {
            pacing.onSent(length);
            sent++;
        }
        return sent;
    }

    @Test
    void linksOfANodeShareItsBudget() {
        long[] nowNs = {0};
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("ipc", (buffer, offset, size, template, session) -> Action.CONTINUE);
            Link one = rig.link(inbox);
            Link other = rig.link(inbox);
            int bytes = one.lengthInLog(length);
            NodeBudget budget = new NodeBudget(Budget.NONE, new Budget(8_000_000, 3 * bytes), () -> nowNs[0]);
            Pacing ofOne = budget.pace(one, length, null);
            Pacing ofOther = budget.pace(other, length, null);
            assertEquals(2, send(one, ofOne, 2));
            assertEquals(1, send(other, ofOther, 2), "the first link has used up the rest of the burst");
            nowNs[0] += TimeUnit.MICROSECONDS.toNanos(bytes); // 8 Mbit/s are a byte each
            assertEquals(1, send(other, ofOther, 2));
            assertEquals(0, send(one, ofOne, 2));
        }
    }

    @Test
    void aBurstThatNoFrameFitsIsRefused() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("ipc", (buffer, offset, size, template, session) -> Action.CONTINUE);
            Link link = rig.link(inbox);
            NodeBudget budget = new NodeBudget(new Budget(8_000, 1_000), Budget.NONE, SystemNanoClock.INSTANCE);
            String message = assertThrows(IllegalArgumentException.class, () -> budget.pace(link, length, null))
                    .getMessage();
            assertTrue(message.startsWith("link burst is 1000 bytes, but the longest frame takes "), message);
        }
    }
}
