package io.sluice.consistency;

import io.aeron.driver.DataPacketDispatcher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ReceiveChannelEndpointSupplier;
import io.aeron.driver.ext.DebugReceiveChannelEndpoint;
import io.aeron.driver.ext.LossGenerator;
import io.aeron.driver.media.ReceiveChannelEndpoint;
import io.aeron.driver.media.UdpChannel;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.HeaderFlyweight;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.ChannelSettings;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Tampers with the datagrams of one stream between the socket and a driver that was launched here: they are dropped, or
 * their bytes change after the UDP checksum is verified. Setup datagrams are dropped with the others.
 *
 * <p>Aeron makes the supplier from a system property, so one test of a JVM tampers with one path at a time.
 */
public final class TamperedPath implements ReceiveChannelEndpointSupplier {
    private static final String PROPERTY = "aeron.ReceiveChannelEndpoint.supplier";
    private static final int NO_STREAM = 0;

    /** Launches a driver to be tampered with; other tests may launch one at the same time. */
    private static volatile Thread launcher;

    private static volatile int stream = NO_STREAM;
    private static volatile boolean cut;
    private static final AtomicInteger CORRUPT = new AtomicInteger();
    private static final Map<Integer, Position> NEXT = new ConcurrentHashMap<>();

    private final boolean tampers = Thread.currentThread() == launcher;

    /** Called by Aeron on the thread that launches a driver. */
    public TamperedPath() {}

    /** The position of the next datagram of a session, derived from its received datagrams. */
    public record Position(int stream, int session, int termId, int termOffset) {}

    /** Launches a driver whose datagrams can be changed. */
    public static TestDriver launch(ChannelSettings lengths, long clientLivenessNs) {
        restore();
        launcher = Thread.currentThread();
        System.setProperty(PROPERTY, TamperedPath.class.getName());
        try {
            return TestDriver.launch(lengths, clientLivenessNs);
        } finally {
            System.clearProperty(PROPERTY);
            launcher = null;
        }
    }

    /** Watches one stream from now on. */
    public static void watch(int streamId) {
        NEXT.clear();
        stream = streamId;
    }

    /** Drops all datagrams of the stream, or lets all pass again. */
    public static void cut(boolean nothing) {
        cut = nothing;
    }

    /** Changes a byte of the payload in each of the next data datagrams. */
    public static void corrupt(int datagrams) {
        CORRUPT.set(datagrams);
    }

    /** Number of datagrams that are yet to be changed. */
    public static int toCorrupt() {
        return CORRUPT.get();
    }

    /** Lets all datagrams pass again. */
    public static void restore() {
        stream = NO_STREAM;
        cut = false;
        CORRUPT.set(0);
        NEXT.clear();
    }

    /** The position of the next datagram, by session of the stream. */
    public static Map<Integer, Position> next() {
        return Map.copyOf(NEXT);
    }

    /**
     * Sends datagrams that claim to be the next of a session, as any process can that reads the session's headers.
     *
     * @param to      endpoint at which the stream is received
     * @param at      position of the first
     * @param count   number of datagrams
     * @param payload bytes of each, a multiple of 32
     */
    public static void forge(Endpoint to, Position at, int count, int payload) throws IOException {
        int length = DataHeaderFlyweight.HEADER_LENGTH + payload;
        byte[] bytes = new byte[length];
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < count; i++) {
                buffer.putInt(DataHeaderFlyweight.FRAME_LENGTH_FIELD_OFFSET, length, ByteOrder.LITTLE_ENDIAN);
                buffer.putByte(DataHeaderFlyweight.FLAGS_FIELD_OFFSET, (byte) DataHeaderFlyweight.BEGIN_AND_END_FLAGS);
                buffer.putShort(
                        DataHeaderFlyweight.TYPE_FIELD_OFFSET,
                        (short) HeaderFlyweight.HDR_TYPE_DATA,
                        ByteOrder.LITTLE_ENDIAN);
                int offset = at.termOffset() + i * length;
                buffer.putInt(DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET, offset, ByteOrder.LITTLE_ENDIAN);
                buffer.putInt(DataHeaderFlyweight.SESSION_ID_FIELD_OFFSET, at.session(), ByteOrder.LITTLE_ENDIAN);
                buffer.putInt(DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET, at.stream(), ByteOrder.LITTLE_ENDIAN);
                buffer.putInt(DataHeaderFlyweight.TERM_ID_FIELD_OFFSET, at.termId(), ByteOrder.LITTLE_ENDIAN);
                InetSocketAddress address = new InetSocketAddress(to.host(), to.port());
                socket.send(new DatagramPacket(bytes, length, address));
            }
        }
    }

    @Override
    public ReceiveChannelEndpoint newInstance(
            UdpChannel channel, DataPacketDispatcher dispatcher, AtomicCounter status, MediaDriver.Context context) {
        LossGenerator none = (address, buffer, length) -> false;
        return new DebugReceiveChannelEndpoint(channel, dispatcher, status, context, tampers ? new Data() : none, none);
    }

    /** Tampers with what the driver's receiver gets. */
    private static final class Data implements LossGenerator {
        @Override
        public boolean shouldDropFrame(InetSocketAddress address, UnsafeBuffer buffer, int length) {
            boolean isOurs =
                    buffer.getInt(DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN) == stream;
            if (!isOurs || cut) {
                return isOurs;
            }
            int type = buffer.getShort(DataHeaderFlyweight.TYPE_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN);
            if (type == HeaderFlyweight.HDR_TYPE_DATA && length > DataHeaderFlyweight.HEADER_LENGTH) {
                see(buffer, length);
                if (CORRUPT.get() > 0 && CORRUPT.getAndDecrement() > 0) {
                    int frame = buffer.getInt(DataHeaderFlyweight.FRAME_LENGTH_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN);
                    int at = frame - 1;
                    buffer.putByte(at, (byte) (buffer.getByte(at) ^ 0x40));
                }
            }
            return false;
        }

        @Override
        public boolean shouldDropFrame(
                InetSocketAddress address,
                UnsafeBuffer buffer,
                int streamId,
                int sessionId,
                int termId,
                int termOffset,
                int length) {
            return shouldDropFrame(address, buffer, length);
        }

        private static void see(UnsafeBuffer buffer, int length) {
            int session = buffer.getInt(DataHeaderFlyweight.SESSION_ID_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN);
            int termId = buffer.getInt(DataHeaderFlyweight.TERM_ID_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN);
            int offset = buffer.getInt(DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN);
            int aligned = (length + 31) & -32;
            if (offset + aligned + 1_024 < LogBufferDescriptor.TERM_MIN_LENGTH * 16) {
                NEXT.put(session, new Position(stream, session, termId, offset + aligned));
            }
        }
    }
}
