package io.sluice.perf.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;

/**
 * Sends bytes from one host of a lab to another at a rate, in two threads of this process. The sender wakes every
 * millisecond and sends the due bytes. It makes up for a delay of up to 10 ms and drops the remainder, so a stall is
 * not followed by a flood.
 */
public final class CrossTraffic implements AutoCloseable {
    private static final int ETHERNET = 14;
    private static final int IP_AND_UDP = 28;
    private static final int IP_AND_TCP = 52;
    private static final int MAX_UDP = 65_507;
    static final int TCP_WRITE = 16 << 10;
    private static final int READ = 64 << 10;
    private static final int RECEIVE_BUFFER = 2 << 20;
    private static final long TICK_NS = 1_000_000;
    private static final long MEMORY_NS = 10_000_000;
    private static final double NS_PER_S = 1e9;
    private static final double BITS = 8;

    private final CrossFlow flow;
    private final WritableByteChannel out;
    private final Channel in;
    private final ByteBuffer payload;
    private final double wireBytesPerByte;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private volatile boolean running = true;

    private CrossTraffic(CrossFlow flow, WritableByteChannel out, ReadableByteChannel in, int mtu) {
        this.flow = flow;
        this.out = out;
        this.in = in;
        if (flow.protocol() == CrossFlow.Protocol.UDP) {
            payload = ByteBuffer.allocateDirect(Math.min(mtu - IP_AND_UDP, MAX_UDP));
            wireBytesPerByte = (payload.capacity() + IP_AND_UDP + ETHERNET) / (double) payload.capacity();
        } else {
            payload = ByteBuffer.allocateDirect(TCP_WRITE);
            wireBytesPerByte = (mtu + ETHERNET) / (double) (mtu - IP_AND_TCP);
        }
        Thread.ofPlatform().daemon().name("cross receiver").start(() -> receive(in));
        Thread.ofPlatform().daemon().name("cross sender").start(this::send);
    }

    static CrossTraffic start(CrossFlow flow, Host from, Host to, int mtu) throws IOException, InterruptedException {
        if (flow.protocol() == CrossFlow.Protocol.UDP) {
            DatagramChannel in = to.call(() -> DatagramChannel.open(StandardProtocolFamily.INET)
                    .setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER)
                    .bind(new InetSocketAddress(to.address(), 0)));
            DatagramChannel out = from.call(
                    () -> DatagramChannel.open(StandardProtocolFamily.INET).connect(in.getLocalAddress()));
            // Only a connected channel can be read from.
            in.connect(out.getLocalAddress());
            return new CrossTraffic(flow, out, in, mtu);
        }
        try (ServerSocketChannel server = to.call(() ->
                ServerSocketChannel.open(StandardProtocolFamily.INET).bind(new InetSocketAddress(to.address(), 0)))) {
            SocketChannel out = from.call(() -> {
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.INET);
                channel.connect(server.getLocalAddress());
                return channel;
            });
            return new CrossTraffic(flow, out, server.accept(), mtu);
        }
    }

    public CrossFlow flow() {
        return flow;
    }

    /** Number of bytes that the sender gave to its socket, without headers. */
    public long sentBytes() {
        return sent.get();
    }

    /** Number of bytes that have arrived, without headers. */
    public long receivedBytes() {
        return received.get();
    }

    private void send() {
        double bytesPerNs = flow.rate() / BITS / NS_PER_S / wireBytesPerByte;
        double due = 0;
        long last = System.nanoTime();
        while (running) {
            long now = System.nanoTime();
            due = Math.min(due + (now - last) * bytesPerNs, Math.max(MEMORY_NS * bytesPerNs, payload.capacity()));
            last = now;
            while (running && due >= payload.capacity()) {
                due -= write();
            }
            LockSupport.parkNanos(TICK_NS);
        }
    }

    private int write() {
        try {
            int length = out.write(payload.clear());
            sent.addAndGet(length);
            return length;
        } catch (ClosedChannelException e) {
            running = false;
        } catch (IOException noWay) {
            // On a cut link the socket rejects datagrams, which are lost; a broken connection stays broken.
            running &= flow.protocol() == CrossFlow.Protocol.UDP;
        }
        return payload.capacity();
    }

    private void receive(ReadableByteChannel channel) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(READ);
        try {
            int length = channel.read(buffer);
            while (length >= 0) {
                received.addAndGet(length);
                length = channel.read(buffer.clear());
            }
        } catch (IOException closed) {
            running = false;
        }
    }

    /** Ends the traffic. */
    @Override
    public void close() {
        running = false;
        CloseHelper.quietCloseAll(out, in);
    }
}
