package io.sluice.perf.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A TCP connection between two hosts, both ends of it in this process. */
final class Transfer implements AutoCloseable {
    private static final int BLOCK = 64 << 10;
    private static final double NS_PER_S = 1e9;

    private final SocketChannel out;
    private final SocketChannel in;

    Transfer(Host from, Host to) throws IOException, InterruptedException {
        try (ServerSocketChannel server = to.call(() ->
                ServerSocketChannel.open(StandardProtocolFamily.INET).bind(new InetSocketAddress(to.address(), 0)))) {
            out = from.call(() -> {
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.INET);
                channel.connect(server.getLocalAddress());
                return channel;
            });
            in = server.accept();
        }
    }

    SocketChannel out() {
        return out;
    }

    SocketChannel in() {
        return in;
    }

    /**
     * Sends as fast as the link allows.
     *
     * @param settleNs time before the measurement, for the first burst to pass and the queue to fill
     * @param ns duration of the measurement
     * @return bits per second of payload that arrived
     */
    double measure(long settleNs, long ns) throws IOException, InterruptedException {
        Thread sender = Thread.ofPlatform().daemon().start(this::flood);
        ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK);
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < settleNs) {
            in.read(buffer.clear());
        }
        long first = System.nanoTime();
        long bytes = 0;
        long last = first;
        while (last - first < ns) {
            bytes += in.read(buffer.clear());
            last = System.nanoTime();
        }
        close();
        sender.join();
        return bytes * 8 / ((last - first) / NS_PER_S);
    }

    private void flood() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK);
        try {
            while (true) {
                out.write(buffer.clear());
            }
        } catch (IOException closed) {
            // The measurement is over and has closed the channel.
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
        out.close();
    }
}
