package io.sluice.messaging.bandwidth;

import io.sluice.messaging.Routes;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends streams of probes to one {@link ProbeReflector}, from a UDP socket of its own: through Aeron they would wait
 * for its sender and its flow control, whose timing would replace theirs.
 *
 * <p>While it sends a stream, for 50 ms at most, the thread spins between steps closer than 200 us. For one thread at a
 * time.
 */
public final class Prober implements AutoCloseable {
    private static final int QUESTIONS = 4;
    private static final int PATIENCE_MS = 150;
    private static final int SOCKET_BUFFER = 1 << 20;
    private static final int JUMBO_MTU = 9_000;
    private static final int IPV6_AND_UDP_HEADERS = 48;

    /** Time by which a park may last longer than requested. */
    private static final long PARK_SLACK_NS = TimeUnit.MICROSECONDS.toNanos(150);

    /** A stream is spoiled if a step is late by the stream's length divided by this. */
    private static final int LATE_DIVISOR = 10;

    private final long cluster;
    private final long nonce = new SecureRandom().nextLong();
    private final Endpoint reflector;
    private final int longestDatagram;
    private final DatagramChannel channel;
    private final ByteBuffer probes = ProbeDatagram.newBuffer();
    private final ByteBuffer answer =
            ByteBuffer.allocate(ProbeDatagram.MAX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final Path path = new Path();
    private int stream;
    private long sendNs;

    private Prober(Endpoint reflector, long cluster, DatagramChannel channel) {
        this.reflector = reflector;
        this.cluster = cluster;
        this.channel = channel;
        int mtu = Math.min(JUMBO_MTU, Routes.interfaceMtuTowards(reflector));
        this.longestDatagram = Math.max(ProbeDatagram.PROBE_LENGTH, mtu - IPV6_AND_UDP_HEADERS);
    }

    /**
     * Opens a socket towards a reflector. Nothing is sent yet.
     *
     * @param reflector endpoint of the reflector
     * @param cluster   id that it expects
     * @return the prober
     * @throws MessagingException if the host is unknown or no socket can be opened
     */
    public static Prober open(Endpoint reflector, long cluster) {
        DatagramChannel channel = null;
        try {
            channel = DatagramChannel.open();
            channel.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER);
            channel.connect(reflector.resolve());
            return new Prober(reflector, cluster, channel);
        } catch (IOException e) {
            closeQuietly(channel);
            throw new MessagingException("no probes can be sent to " + reflector + ": " + e.getMessage(), e);
        } catch (RuntimeException e) { // the host is unknown
            closeQuietly(channel);
            throw e;
        }
    }

    ProbePath path() {
        return path;
    }

    /** The endpoint to which probes are sent. */
    public Endpoint reflector() {
        return reflector;
    }

    /** Frees the socket. Closing twice is harmless. */
    @Override
    public void close() {
        closeQuietly(channel);
    }

    static void closeQuietly(Closeable resource) {
        try {
            if (resource != null) {
                resource.close();
            }
        } catch (IOException e) {
            // An error here has no consequence: the socket carries only probes.
        }
    }

    /** The path over the network, for the search. */
    private final class Path implements ProbePath {
        @Override
        public StreamArrival send(StreamShape shape) throws IOException {
            stream++;
            long late = sendProbes(shape);
            boolean spoiled = shape.periodNs() > 0 && late > shape.durationNs() / LATE_DIVISOR;
            for (int i = 0; i < QUESTIONS && !Thread.currentThread().isInterrupted(); i++) {
                ProbeDatagram.question(probes, cluster, nonce, stream, shape);
                write();
                if (awaitAnswer(shape, PATIENCE_MS << i)) {
                    return arrival(shape, spoiled);
                }
            }
            return null;
        }

        @Override
        public void pause(long ns) {
            long end = System.nanoTime() + ns;
            for (long left = ns; left > 0 && !Thread.currentThread().isInterrupted(); ) {
                LockSupport.parkNanos(left);
                left = end - System.nanoTime();
            }
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public int longestDatagram() {
            return longestDatagram;
        }
    }

    /** Sends all datagrams of a stream; returns the longest delay of a step, in nanoseconds. */
    private long sendProbes(StreamShape shape) {
        ProbeDatagram.beginPrimers(probes, cluster, nonce, stream, shape);
        for (int i = 0; i < shape.primers(); i++) {
            write();
        }
        ProbeDatagram.beginProbes(probes, cluster, nonce, stream, shape);
        long latest = 0;
        long start = System.nanoTime();
        for (int step = 0; step < shape.steps(); step++) {
            long due = start + step * shape.periodNs();
            await(due);
            latest = Math.max(latest, System.nanoTime() - due);
            for (int part = 0; part < shape.parts(); part++) {
                ProbeDatagram.probe(probes, step, part, System.nanoTime());
                write();
            }
        }
        sendNs = Math.max(shape.durationNs(), System.nanoTime() - start);
        return latest;
    }

    private static void await(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (left > 2 * PARK_SLACK_NS) {
                LockSupport.parkNanos(left - PARK_SLACK_NS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void write() {
        try {
            probes.position(0);
            channel.write(probes);
        } catch (IOException e) {
            // The reflector is not open yet, or a queue is full: the datagram counts as lost.
        }
    }

    private boolean awaitAnswer(StreamShape shape, int patienceMs) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        DatagramPacket packet = new DatagramPacket(answer.array(), answer.capacity());
        for (int leftMs = patienceMs; leftMs > 0; leftMs = millisUntil(deadline)) {
            try {
                channel.socket().setSoTimeout(leftMs);
                channel.socket().receive(packet);
            } catch (SocketTimeoutException | PortUnreachableException e) {
                return false;
            }
            answer.clear().limit(packet.getLength());
            if (isAnswer(shape)) {
                return true;
            }
        }
        return false;
    }

    private static int millisUntil(long deadline) {
        return (int) TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }

    private boolean isAnswer(StreamShape shape) {
        return ProbeDatagram.fault(answer, cluster) == null
                && ProbeDatagram.type(answer) == ProbeDatagram.ANSWER
                && ProbeDatagram.nonce(answer) == nonce
                && ProbeDatagram.stream(answer) == stream
                && ProbeDatagram.steps(answer) == shape.steps()
                && ProbeDatagram.received(answer) >= 1
                && ProbeDatagram.spanNs(answer) >= 0;
    }

    private StreamArrival arrival(StreamShape shape, boolean spoiled) {
        int[] delays = new int[shape.steps()];
        int count = 0;
        for (int step = 0; step < shape.steps(); step++) {
            int delay = ProbeDatagram.delay(answer, step);
            if (delay != ProbeDatagram.LOST) {
                delays[count++] = delay;
            }
        }
        // Datagrams that the network duplicated count once.
        int received = Math.min(ProbeDatagram.received(answer), shape.datagrams());
        return new StreamArrival(Arrays.copyOf(delays, count), received, ProbeDatagram.spanNs(answer), sendNs, spoiled);
    }
}
