package io.sluice.perf.bandwidth;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;

/** Sends datagrams at a constant rate, a millisecond's worth at a time. Ends with its standard input. */
final class CrossNode {
    private static final int PAYLOAD = 1_472;
    private static final int ON_THE_WIRE = 14 + 20 + 8 + PAYLOAD;
    private static final long TICK_NS = 1_000_000;
    private static final double BITS = 8;

    private CrossNode() {}

    public static void main(String[] args) throws IOException {
        InetSocketAddress sink = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        double bytesPerNs = Double.parseDouble(args[2]) / BITS / 1e9;
        DatagramPacket packet = new DatagramPacket(new byte[PAYLOAD], PAYLOAD, sink);
        try (DatagramSocket socket = new DatagramSocket()) {
            ParentProcess.watch();
            System.out.println("ready");
            long start = System.nanoTime();
            double sent = 0;
            while (!ParentProcess.isGone()) {
                double due = (System.nanoTime() - start) * bytesPerNs;
                while (sent + ON_THE_WIRE <= due) {
                    socket.send(packet);
                    sent += ON_THE_WIRE;
                }
                LockSupport.parkNanos(TICK_NS);
            }
        }
    }
}
