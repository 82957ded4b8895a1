package io.sluice.perf.bandwidth;

import io.sluice.perf.nodes.NodeTask;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends datagrams at a constant rate from a thread of its own, a millisecond's worth at a time.
 *
 * @param sink address of the receiver
 * @param port port of the receiver
 * @param rate bits per second on the wire
 */
record CrossNode(String sink, int port, long rate) implements NodeTask<Boolean> {
    private static final int PAYLOAD = 1_472;
    private static final int ON_THE_WIRE = 14 + 20 + 8 + PAYLOAD;
    private static final long TICK_NS = 1_000_000;
    private static final double BITS = 8;

    @Override
    public Boolean run() throws IOException {
        DatagramSocket socket = new DatagramSocket();
        Thread.ofPlatform().daemon().name("cross traffic").start(() -> send(socket));
        return true;
    }

    private void send(DatagramSocket socket) {
        DatagramPacket packet = new DatagramPacket(new byte[PAYLOAD], PAYLOAD, new InetSocketAddress(sink, port));
        double bytesPerNs = rate / BITS / 1e9;
        long start = System.nanoTime();
        double sent = 0;
        try (socket) {
            while (true) {
                double due = (System.nanoTime() - start) * bytesPerNs;
                while (sent + ON_THE_WIRE <= due) {
                    socket.send(packet);
                    sent += ON_THE_WIRE;
                }
                LockSupport.parkNanos(TICK_NS);
            }
        } catch (IOException e) {
            System.err.println("cross traffic has ended: " + e.getMessage());
        }
    }
}
