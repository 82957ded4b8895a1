package io.sluice.messaging.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.LangUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receives several datagrams or trains with one system call, and passes on each datagram without a copy. For the
 * receiver's thread; the endpoints of a driver share one.
 */
final class TrainReceiver {
    /** Maximum number of trains received with one call, so that a fast sender does not keep the thread from sending. */
    static final int MAX_MESSAGES = 16;

    /** Maximum length of a train, in bytes. */
    private static final int ROOM = 1 << 16;

    /** Number of spare bytes after each train, so that reading a header that was cut off stays within the memory. */
    private static final int SPARE = 128;

    private static final int STRIDE = ROOM + SPARE;

    /** Receives the datagrams of one call. */
    interface Handler {
        /**
         * Receives a datagram.
         *
         * @param packet buffer that begins with the datagram and has more bytes
         * @param length length of the datagram
         * @param source source address of its sender
         */
        void onDatagram(UnsafeBuffer packet, int length, InetSocketAddress source);
    }

    private final SocketCalls calls;
    private final UdpCounters counters;
    private final MessageVector vector = new MessageVector(MAX_MESSAGES);
    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(MAX_MESSAGES * STRIDE, SPARE);
    private final long address = BufferUtil.address(memory);
    private final SourceAddresses sources = new SourceAddresses();
    private final UnsafeBuffer packet = new UnsafeBuffer();
    private InetSocketAddress source;
    private int used = MAX_MESSAGES;
    private int datagrams;

    /**
     * Creates the receiver of a driver.
     *
     * @param calls system calls, not used by other threads
     */
    TrainReceiver(SocketCalls calls, UdpCounters counters) {
        this.calls = calls;
        this.counters = counters;
        for (int i = 0; i < MAX_MESSAGES; i++) {
            vector.room(i, address + (long) i * STRIDE, ROOM);
        }
    }

    /**
     * Receives the trains that have arrived, up to {@link #MAX_MESSAGES} trains.
     *
     * @param descriptor descriptor of the socket
     * @param handler    receives the datagrams
     * @return bytes received; 0 if there was nothing
     */
    int receive(int descriptor, Handler handler) {
        for (int i = 0; i < used; i++) {
            vector.expect(i);
        }
        used = 0;
        int received = calls.receive(descriptor, vector.address(), MAX_MESSAGES);
        if (received <= 0) {
            onNothing(-received);
            return 0;
        }
        used = received;
        datagrams = 0;
        int bytes = 0;
        for (int i = 0; i < received; i++) {
            bytes += split(i, handler);
        }
        counters.received(datagrams);
        return bytes;
    }

    /** The source address of the last datagram. */
    InetSocketAddress source() {
        return source;
    }

    private int split(int message, Handler handler) {
        int length = vector.length(message);
        int segment = vector.isWhole(message) ? vector.segment(message) : 0;
        InetSocketAddress from = sources.of(vector.words(), vector.addressAt(message), vector.addressLength(message));
        if (segment <= 0 || length > ROOM || from == null) {
            counters.unreadable();
            return 0;
        }
        source = from;
        for (int at = 0; at < length; at += segment) {
            packet.wrap(address + (long) message * STRIDE + at, STRIDE - at);
            handler.onDatagram(packet, Math.min(segment, length - at), from);
            datagrams++;
        }
        return length;
    }

    private static void onNothing(int error) {
        switch (error) {
            case 0, SocketCalls.EAGAIN, SocketCalls.EINTR, SocketCalls.ECONNREFUSED -> {}
            default -> LangUtil.rethrowUnchecked(new IOException("error " + error + " of recvmmsg"));
        }
    }
}
