package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.ChannelSettings;
import org.agrona.BitUtil;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class RoundTripTest {
    private final Frames frames = new Frames();
    private long next;

    private Action expectNext(long number) {
        assertEquals(next, number, "frames arrive in the order they were sent");
        next++;
        return Action.CONTINUE;
    }

    private void send(Link link, Inbox inbox, int elements, int count) {
        int length = Frames.length(elements);
        for (int i = 0; i < count; i++) {
            frames.encode(link.frames(), elements);
            Rig.until(() -> link.offer(frames.buffer(), 0, length), () -> inbox.poll(64));
        }
        Rig.until(() -> next == link.frames(), () -> inbox.poll(64));
    }

    @Drawn
    @ParameterizedTest
    @CsvSource({"ipc,1", "ipc,256", "ipc,16352", "ipc,65520", "udp,1", "udp,256", "udp,16352", "udp,65520"})
    void deliversFramesInOrderOverManyTerms(String media, int elements) {
        int termLength = Frames.length(elements) <= 4096 ? 64 << 10 : 2 << 20;
        try (Rig rig = new Rig(new ChannelSettings().ipcTermLength(termLength).udpTermLength(termLength))) {
            Inbox inbox = rig.inbox(
                    media, (buffer, offset, length, template, session) -> expectNext(Frames.number(buffer, offset)));
            Link link = rig.link(inbox);
            int length = Frames.length(elements);
            int count = (int) (4L * termLength / link.lengthInLog(length)) + 3;

            send(link, inbox, elements, count);

            assertEquals(count, inbox.frames());
            assertEquals((long) count * length, inbox.bytes());
            assertEquals((long) count * link.lengthInLog(length), link.bytes());
            assertTrue(link.bytes() > 4L * termLength, "the log wrapped around its three terms");
            assertEquals(0, inbox.rejections().total());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void deliversTheLongestFrameOffHeapAndAlignedAndRefusesALongerOne(String media) {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            int[] misplaced = new int[1];
            Inbox inbox = rig.inbox(media, (buffer, offset, length, template, session) -> {
                boolean usable = buffer.byteArray() == null && BitUtil.isAligned(buffer.addressOffset() + offset, 8);
                misplaced[0] += usable ? 0 : 1;
                return expectNext(Frames.number(buffer, offset));
            });
            Link link = rig.link(inbox);
            assertEquals(262_144, link.maxFrameLength());
            assertEquals(65_472, link.maxUnfragmentedLength());

            send(link, inbox, Frames.elements(link.maxFrameLength()), 5);
            assertEquals(0, misplaced[0]);

            MessagingException refusal = assertThrows(
                    MessagingException.class, () -> link.offer(new UnsafeBuffer(new byte[262_145]), 0, 262_145));
            assertEquals(
                    "a frame of 262145 bytes does not fit link test, which carries 1 to 262144 bytes",
                    refusal.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({"ipc,256", "ipc,65520", "udp,256", "udp,65520"})
    void anAbortedFrameIsDeliveredAgain(String media, int elements) {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            int[] calls = new int[1];
            Inbox inbox = rig.inbox(
                    media,
                    (buffer, offset, length, template, session) ->
                            ++calls[0] % 3 == 0 ? expectNext(Frames.number(buffer, offset)) : Action.ABORT);
            Link link = rig.link(inbox);

            send(link, inbox, elements, 20);

            assertEquals(60, calls[0], "each frame arrived three times");
            assertEquals(20, inbox.frames());
            assertEquals(0, inbox.rejections().total());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void aFullLogRefusesAndRecovers(String media) {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox(
                    media, (buffer, offset, length, template, session) -> expectNext(Frames.number(buffer, offset)));
            Link link = rig.link(inbox);
            int length = Frames.length(4000);
            for (int round = 0; round < 5; round++) {
                int accepted = 0;
                int refused = 0;
                Rig.until(() -> link.room() > length, () -> inbox.poll(1));
                while (refused < 1000) {
                    frames.encode(link.frames(), 4000);
                    if (link.offer(frames.buffer(), 0, length)) {
                        accepted++;
                    } else {
                        refused++;
                    }
                }
                assertTrue(accepted > 0, "there is room again in round " + round);
                assertTrue(accepted * (long) length <= 6 << 20, "no more was accepted than the logs hold");
                Rig.until(() -> next == link.frames(), () -> inbox.poll(64));
            }
            assertTrue(link.stalls() >= 5000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void aFailingHandlerFailsThePollAndLosesNothingElse(String media) {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox(media, (buffer, offset, length, template, session) -> {
                expectNext(Frames.number(buffer, offset));
                if (next == 2) {
                    throw new IllegalStateException("second frame");
                }
                return Action.CONTINUE;
            });
            Link link = rig.link(inbox);
            for (int i = 0; i < 3; i++) {
                int length = frames.encode(i, 10);
                Rig.until(() -> link.offer(frames.buffer(), 0, length), () -> {});
            }
            IllegalStateException thrown =
                    assertThrows(IllegalStateException.class, () -> Rig.until(() -> next == 3, () -> inbox.poll(64)));
            assertEquals("second frame", thrown.getMessage());
            Rig.until(() -> next == 3, () -> inbox.poll(64));
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"ipc", "udp"})
    void aClosedLinkSaysSo(String media) {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox(media, (buffer, offset, length, template, session) -> Action.CONTINUE);
            Link link = rig.link(inbox);
            int length = frames.encode(0, 10);
            link.close();
            link.close();
            assertThrows(LinkClosedException.class, () -> link.offer(frames.buffer(), 0, length));
            Rig.until(() -> inbox.departures() == 1, () -> inbox.poll(1));
            assertEquals(0, inbox.senders());
            assertFalse(inbox.isClosed());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void withoutAReceiverOffersFailAndATimeoutNamesThePeer(String media) {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            String channel =
                    media.equals("ipc") ? rig.channels.ipc() : rig.channels.udpTo(new Endpoint("127.0.0.1", 9));
            Link link = rig.sender.openLink("server 3", channel, 7);
            int length = frames.encode(0, 10);
            assertFalse(link.offer(frames.buffer(), 0, length));
            assertEquals(1, link.stalls());
            long[] now = new long[1];
            ConnectTimeoutException timeout = assertThrows(
                    ConnectTimeoutException.class,
                    () -> link.awaitConnected(5_000_000L, () -> now[0] += 1_000_000L, new NoOpIdleStrategy()));
            assertTrue(timeout.getMessage().startsWith("peer server 3 did not connect to aeron:" + media));
            assertTrue(timeout.getMessage().endsWith("stream 7 within 5 ms"));
        }
    }
}
