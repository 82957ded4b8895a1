package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.driver.Driver;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which inboxes verify a frame's checksum, and that all of them check everything else. */
@Timeout(180)
@Isolated("sets a system property")
class VerifyingTest {
    /** Lengths of frames that travel in one piece, and in two. */
    private static final int[] ELEMENTS = {100, 30_000};

    private final Frames frames = new Frames();
    private final List<Long> handled = new ArrayList<>();

    private Rig rig(boolean verifySharedMemory) {
        Transport.Context receiving = new Transport.Context().verifySharedMemory(verifySharedMemory);
        return new Rig(Rig.shortTerms(), new Driver.Context(), receiving);
    }

    private Inbox inbox(Rig rig, String media) {
        return rig.inbox(media, (buffer, offset, length, template, session) -> {
            handled.add(Frames.number(buffer, offset));
            return Action.CONTINUE;
        });
    }

    private void send(Link link, Inbox inbox, int length) {
        Rig.until(() -> link.offer(frames.buffer(), 0, length), () -> inbox.poll(16));
    }

    private void awaitAll(Link link, Inbox inbox) {
        Rig.until(() -> handled.size() + inbox.rejections().total() == link.frames(), () -> inbox.poll(16));
    }

    @ParameterizedTest
    @CsvSource({"ipc,false,false", "ipc,true,true", "udp,false,true", "udp,true,true"})
    void damageIsLookedForWhereAFrameCameOverAWire(String media, boolean setting, boolean refused) {
        try (Rig rig = rig(setting)) {
            Inbox inbox = inbox(rig, media);
            Link link = rig.link(inbox);
            for (int elements : ELEMENTS) {
                int length = frames.encode(link.frames(), elements);
                send(link, inbox, length);
                frames.encode(link.frames(), elements);
                frames.buffer().putByte(length - 1, (byte) 99);
                send(link, inbox, length);
            }
            awaitAll(link, inbox);

            assertEquals(refused ? List.of(0L, 2L) : List.of(0L, 1L, 2L, 3L), handled);
            assertEquals(refused ? 2 : 0, inbox.rejections().count(Rejection.BAD_CHECKSUM));
            assertEquals(
                    inbox.rejections().count(Rejection.BAD_CHECKSUM),
                    inbox.rejections().total());
        }
    }

    @ParameterizedTest
    @CsvSource({"ipc,false", "ipc,true", "udp,false"})
    void allElseIsLookedAtEverywhere(String media, boolean setting) {
        try (Rig rig = rig(setting)) {
            Inbox inbox = inbox(rig, media);
            Link link = rig.link(inbox);
            for (int elements : ELEMENTS) {
                int length = frames.encode(link.frames(), elements);
                send(link, inbox, length - 1);
                send(link, inbox, length + 1);
                send(link, inbox, Frame.ENVELOPE_END - 1);
                frames.buffer().putShort(Frame.SCHEMA_ID_OFFSET, (short) 7);
                send(link, inbox, length);
            }
            int length = frames.encode(link.frames(), 1);
            send(link, inbox, length);
            awaitAll(link, inbox);

            assertEquals(List.of(link.frames() - 1), handled);
            assertEquals(4, inbox.rejections().count(Rejection.BAD_LENGTH));
            assertEquals(2, inbox.rejections().count(Rejection.TRUNCATED));
            assertEquals(2, inbox.rejections().count(Rejection.FOREIGN_SCHEMA));
        }
    }

    @Test
    void garbageInSharedMemoryIsCountedAndDropped() {
        Random random = new Random(11);
        try (Rig rig = rig(false)) {
            Inbox inbox = inbox(rig, "ipc");
            Link link = rig.link(inbox);
            for (int i = 0; i < 300; i++) {
                int length = 1 + random.nextInt(i % 10 == 0 ? link.maxFrameLength() : 3_000);
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                frames.buffer().putBytes(0, bytes);
                send(link, inbox, length);
            }
            awaitAll(link, inbox);

            assertEquals(300, inbox.rejections().total());
        }
    }

    @Test
    void sharedMemoryIsTrustedByDefault() {
        assertFalse(new Transport.Context().verifySharedMemory());
        System.setProperty("sluice.ipc.verify", "true");
        try {
            assertTrue(new Transport.Context().verifySharedMemory());
        } finally {
            System.clearProperty("sluice.ipc.verify");
        }
    }
}
