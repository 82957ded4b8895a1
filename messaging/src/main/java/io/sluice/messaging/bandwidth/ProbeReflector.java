package io.sluice.messaging.bandwidth;

import io.sluice.messaging.EndpointInUseException;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The remote end of a {@link Prober}: stamps probes as they arrive and reports their times, on a thread of its own that
 * sleeps when there are none.
 *
 * <p>Any process may send to its port. The reflector drops and counts datagrams that are not probes of this cluster. It
 * answers only about streams of the address and nonce in the request, with no more bytes than the request had. It
 * remembers one stream each of a fixed number of probers, so its memory never grows, and does not serve more probers at
 * a time.
 */
public final class ProbeReflector implements AutoCloseable {
    static final int PROBERS = 32;

    /** Silence after which another prober may take a prober's record. */
    private static final long FORGET_NS = TimeUnit.SECONDS.toNanos(2);

    private static final int SOCKET_BUFFER = 4 << 20;

    private final long cluster;
    private final DatagramChannel channel;
    private final Endpoint endpoint;
    private final Thread thread;
    private final ByteBuffer buffer = ProbeDatagram.newBuffer();
    private final StreamRecord[] records = new StreamRecord[PROBERS];
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();

    private ProbeReflector(long cluster, DatagramChannel channel, Endpoint endpoint) {
        this.cluster = cluster;
        this.channel = channel;
        this.endpoint = endpoint;
        for (int i = 0; i < PROBERS; i++) {
            records[i] = new StreamRecord();
        }
        thread = Thread.ofPlatform().daemon().name("sluice-probe-reflector").unstarted(this::reflect);
    }

    /**
     * Binds and begins to answer.
     *
     * @param local   endpoint at which to receive; port 0 lets the operating system choose
     * @param cluster id that probes must carry
     * @return the reflector, ready
     * @throws EndpointInUseException if another process receives there
     * @throws MessagingException if the socket cannot be opened for another reason
     */
    public static ProbeReflector open(Endpoint local, long cluster) {
        DatagramChannel channel = null;
        try {
            channel = DatagramChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            channel.bind(local.resolve());
            int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
            ProbeReflector reflector = new ProbeReflector(cluster, channel, local.withPort(port));
            reflector.thread.start();
            return reflector;
        } catch (IOException e) {
            Prober.closeQuietly(channel);
            if (e instanceof BindException) {
                throw new EndpointInUseException(
                        "the probe reflector cannot listen on " + local + ": " + e.getMessage(), e);
            }
            throw new MessagingException("the probe reflector cannot listen on " + local + ": " + e.getMessage(), e);
        } catch (RuntimeException e) { // the host is unknown
            Prober.closeQuietly(channel);
            throw e;
        }
    }

    private void reflect() {
        while (channel.isOpen()) {
            try {
                buffer.clear();
                SocketAddress from = channel.receive(buffer);
                long nowNs = System.nanoTime();
                buffer.flip();
                onDatagram(from, nowNs);
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                // An answer could not be sent, or the network returned an error about one: the prober repeats its
                // request.
                rejected.incrementAndGet();
            }
        }
    }

    private void onDatagram(SocketAddress from, long nowNs) throws IOException {
        if (ProbeDatagram.fault(buffer, cluster) != null || ProbeDatagram.type(buffer) == ProbeDatagram.ANSWER) {
            rejected.incrementAndGet();
            return;
        }
        StreamRecord record = find(from);
        switch (ProbeDatagram.type(buffer)) {
            case ProbeDatagram.QUESTION -> answer(from, record);
            case ProbeDatagram.PROBE -> record(from, record == null ? forgotten(nowNs) : record, nowNs);
            default -> {
                // A primer has no further use.
            }
        }
    }

    /** Finds the record of an address: a new nonce does not get a second one. */
    private StreamRecord find(SocketAddress from) {
        for (StreamRecord record : records) {
            if (record.isOf(from)) {
                return record;
            }
        }
        return null;
    }

    private StreamRecord forgotten(long nowNs) {
        for (StreamRecord record : records) {
            if (record.isSilentSince(nowNs - FORGET_NS)) {
                return record;
            }
        }
        return null;
    }

    private void record(SocketAddress from, StreamRecord record, long nowNs) {
        if (record == null) {
            rejected.incrementAndGet();
            return;
        }
        long nonce = ProbeDatagram.nonce(buffer);
        int stream = ProbeDatagram.stream(buffer);
        if (!record.isOf(from) || !record.isOf(nonce, stream)) {
            if (record.isOf(from) && record.isAfter(nonce, stream)) {
                return; // the prober has given up that stream
            }
            record.begin(from, nonce, stream);
        }
        boolean closesStep = ProbeDatagram.part(buffer) == ProbeDatagram.parts(buffer) - 1;
        record.onProbe(ProbeDatagram.step(buffer), closesStep, ProbeDatagram.sentNs(buffer), nowNs);
    }

    private void answer(SocketAddress from, StreamRecord record) throws IOException {
        if (record == null || !record.isOf(ProbeDatagram.nonce(buffer), ProbeDatagram.stream(buffer))) {
            rejected.incrementAndGet();
            return;
        }
        ProbeDatagram.answer(buffer, record.received(), record.spanNs(), record.delays());
        answered.incrementAndGet(); // first, so that a prober that has the answer sees it counted
        channel.send(buffer, from);
    }

    /** The endpoint at which the reflector receives, with its real port. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /**
     * Number of datagrams dropped so far because they came from outsiders, were damaged, or came from more probers than
     * are served.
     */
    public long rejected() {
        return rejected.get();
    }

    /** Number of requests answered so far, including the one whose answer is being sent. */
    public long answered() {
        return answered.get();
    }

    /** Ends the thread and frees the port. Closing twice is harmless. */
    @Override
    public void close() {
        Prober.closeQuietly(channel);
    }
}
