package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.ExclusivePublication;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.ErrorFlyweight;
import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.SetupFlyweight;
import io.sluice.codecs.Rejection;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ForeignFramesTest {
    private static final int TERM_LENGTH = 64 << 10;
    private static final int MTU = 1_408;
    private static final int SESSION = 0x5eed;
    private static final int FIRST_TERM = 5;

    private final Frames frames = new Frames();
    private final Random random = new Random(7);
    private Rig rig;
    private Inbox inbox;
    private Link link;
    private long next;

    @BeforeEach
    void connect() {
        // A short timeout, so that an outsider's stream ends soon after it falls silent.
        rig = new Rig(Rig.shortTerms(), new Driver.Context().clientLivenessNs(TimeUnit.SECONDS.toNanos(3)));
        inbox = rig.inbox("udp", (buffer, offset, length, template, session) -> {
            assertEquals(next++, Frames.number(buffer, offset));
            return Action.CONTINUE;
        });
        link = rig.link(inbox);
        exchangeSoundFrames();
    }

    @AfterEach
    void disconnect() {
        rig.close();
    }

    private void exchangeSoundFrames() {
        for (int i = 0; i < 50; i++) {
            int length = frames.encode(link.frames(), 500);
            Rig.until(() -> link.offer(frames.buffer(), 0, length), () -> inbox.poll(16));
        }
        Rig.until(() -> next == link.frames(), () -> inbox.poll(16));
    }

    @Test
    void rawGarbageIsIgnored() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < 2_000; i++) {
                byte[] bytes = new byte[random.nextInt(2_000)];
                random.nextBytes(bytes);
                send(socket, bytes, bytes.length);
            }
        }
        exchangeSoundFrames();
        assertEquals(0, inbox.rejections().total());
    }

    @Test
    void garbageThatLooksLikeAeronIsIgnored() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < 2_000; i++) {
                byte[] bytes = new byte[32 + random.nextInt(1_000)];
                random.nextBytes(bytes);
                UnsafeBuffer header = new UnsafeBuffer(bytes);
                header.putByte(HeaderFlyweight.VERSION_FIELD_OFFSET, HeaderFlyweight.CURRENT_VERSION);
                header.putShort(HeaderFlyweight.TYPE_FIELD_OFFSET, (short) (i % 12), ByteOrder.LITTLE_ENDIAN);
                header.putInt(DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET, Rig.STREAM, ByteOrder.LITTLE_ENDIAN);
                send(socket, bytes, bytes.length);
            }
        }
        exchangeSoundFrames();
    }

    @Test
    void wellFormedAeronMessagesOfGarbageAreCountedAndDropped() {
        String channel = rig.channels.udpTo(inbox.endpoint());
        try (ExclusivePublication outsider = rig.sender.aeron().addExclusivePublication(channel, Rig.STREAM)) {
            Rig.until(outsider::isConnected, () -> inbox.poll(16));
            int count = 300;
            for (int i = 0; i < count; i++) {
                byte[] bytes = new byte[1 + random.nextInt(i % 10 == 0 ? outsider.maxMessageLength() : 3_000)];
                random.nextBytes(bytes);
                UnsafeBuffer garbage = new UnsafeBuffer(bytes);
                Rig.until(() -> outsider.offer(garbage) > 0, () -> inbox.poll(16));
            }
            Rig.until(() -> inbox.rejections().total() == count, () -> inbox.poll(16));
        }
        exchangeSoundFrames();
    }

    @Test
    void damagedFramesAreCountedByTheirReason() {
        String channel = rig.channels.udpTo(inbox.endpoint());
        try (ExclusivePublication outsider = rig.sender.aeron().addExclusivePublication(channel, Rig.STREAM)) {
            Rig.until(outsider::isConnected, () -> inbox.poll(16));
            int length = frames.encode(1, 100);
            frames.buffer().putByte(length - 1, (byte) 99);
            Rig.until(() -> outsider.offer(frames.buffer(), 0, length) > 0, () -> inbox.poll(16));
            Rig.until(() -> outsider.offer(frames.buffer(), 0, 7) > 0, () -> inbox.poll(16));
            Rig.until(() -> inbox.rejections().total() == 2, () -> inbox.poll(16));
            assertEquals(1, inbox.rejections().count(Rejection.BAD_CHECKSUM));
            assertEquals(1, inbox.rejections().count(Rejection.TRUNCATED));
        }
        exchangeSoundFrames();
    }

    @Test
    @Tag("slow")
    void forgedLengthsThatRunPastTheTermDisconnectTheForger() throws IOException {
        int[] forgedLengths = {1 << 20, 0x7FFF_FFFF, 0x7FFF_FFE0};
        for (int forger = 0; forger < forgedLengths.length; forger++) {
            int session = SESSION + forger;
            UnsafeBuffer setup = setup(session);
            UnsafeBuffer data = dataHeader(session, 0, forgedLengths[forger], FrameDescriptor.UNFRAGMENTED);
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.setSoTimeout(1);
                Rig.until(() -> receivesError(socket, session), () -> {
                    sendUnchecked(socket, setup.byteArray(), setup.capacity());
                    sendUnchecked(socket, data.byteArray(), 64);
                    inbox.poll(16);
                });
            }
        }
        long rejections = inbox.rejections().count(Rejection.BAD_LENGTH);
        assertTrue(rejections >= forgedLengths.length, rejections + " rejections");
        // The driver ends their streams when they have been silent for a while.
        Rig.eventually(() -> {
            inbox.poll(16);
            assertEquals(1, inbox.senders(), "the valid sender stays");
        });
        exchangeSoundFrames();
    }

    /** Whether the next datagram says that the driver has disconnected the session. */
    private static boolean receivesError(DatagramSocket socket, int session) {
        DatagramPacket packet = new DatagramPacket(new byte[MTU], MTU);
        try {
            socket.receive(packet);
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ErrorFlyweight error = new ErrorFlyweight(new UnsafeBuffer(packet.getData(), 0, packet.getLength()));
        return error.headerType() == HeaderFlyweight.HDR_TYPE_ERR && error.sessionId() == session;
    }

    @Test
    void aForgedFrameWithoutAnEndIsCutOff() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            UnsafeBuffer setup = setup(SESSION);
            Rig.until(() -> inbox.senders() == 2, () -> sendUnchecked(socket, setup.byteArray(), setup.capacity()));
            int pieces = 0;
            while (inbox.rejections().count(Rejection.BAD_LENGTH) == 0) {
                assertTrue(pieces < TERM_LENGTH / 1024, "cut off at an eighth of a term");
                byte flags = pieces == 0 ? FrameDescriptor.BEGIN_FRAG_FLAG : 0;
                UnsafeBuffer piece = dataHeader(SESSION, pieces * 1024, 1024, flags);
                long waiting = System.nanoTime();
                while (inbox.rejections().total() == 0 && System.nanoTime() - waiting < 5_000_000) {
                    sendUnchecked(socket, piece.byteArray(), 1024);
                    inbox.poll(16);
                }
                pieces++;
            }
            assertTrue(pieces > 8, "an eighth of a term was accepted");
        }
        exchangeSoundFrames();
    }

    private static UnsafeBuffer setup(int session) {
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[SetupFlyweight.HEADER_LENGTH]);
        SetupFlyweight setup = new SetupFlyweight(bytes);
        setup.version(HeaderFlyweight.CURRENT_VERSION)
                .headerType(HeaderFlyweight.HDR_TYPE_SETUP)
                .frameLength(SetupFlyweight.HEADER_LENGTH);
        setup.sessionId(session)
                .streamId(Rig.STREAM)
                .initialTermId(FIRST_TERM)
                .activeTermId(FIRST_TERM)
                .termOffset(0)
                .termLength(TERM_LENGTH)
                .mtuLength(MTU);
        return bytes;
    }

    private static UnsafeBuffer dataHeader(int session, int termOffset, int frameLength, byte flags) {
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[MTU]);
        DataHeaderFlyweight header = new DataHeaderFlyweight(bytes);
        header.version(HeaderFlyweight.CURRENT_VERSION)
                .flags(flags)
                .headerType(HeaderFlyweight.HDR_TYPE_DATA)
                .frameLength(frameLength);
        header.sessionId(session).streamId(Rig.STREAM).termId(FIRST_TERM).termOffset(termOffset);
        return bytes;
    }

    private void sendUnchecked(DatagramSocket socket, byte[] bytes, int length) {
        try {
            send(socket, bytes, length);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void send(DatagramSocket socket, byte[] bytes, int length) throws IOException {
        InetSocketAddress target = inbox.endpoint().resolve();
        socket.send(new DatagramPacket(bytes, length, target));
    }
}
