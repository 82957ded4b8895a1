package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.api.MessagingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An interrupt asks a thread to end in an orderly way: its connection to the driver stays open. */
@Timeout(180)
class UninterruptedTest {
    private static final FrameHandler NONE =
            (buffer, offset, length, templateId, sessionId) -> FrameHandler.Action.CONTINUE;

    @Test
    void linksAndInboxesOpenForAThreadThatIsInterrupted() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Thread.currentThread().interrupt();
            Inbox ipc = rig.inbox("ipc", NONE);
            assertTrue(Thread.currentThread().isInterrupted(), "the thread stays interrupted");
            Inbox udp = rig.inbox("udp", NONE);
            Link link = rig.sender.openLink("test", rig.channels.udpTo(udp.endpoint()), Rig.STREAM);
            rig.sender.openLink("test", rig.channels.ipc(), Rig.STREAM);
            assertTrue(Thread.interrupted(), "the thread stays interrupted");
            Rig.until(link::isConnected, () -> {});
            assertFalse(rig.sender.isClosed());
            assertFalse(rig.receiver.isClosed());
            assertEquals("test", ipc.label());
        }
    }

    @Test
    void whatTheDriverRefusesIsSaidAsItIs() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            MessagingException refusal = assertThrows(
                    MessagingException.class, () -> rig.sender.openLink("test", "aeron:udp?endpoint=nowhere", 1));
            assertTrue(
                    refusal.getMessage().startsWith("link test was refused by the media driver for"),
                    refusal.getMessage());
        }
    }
}
