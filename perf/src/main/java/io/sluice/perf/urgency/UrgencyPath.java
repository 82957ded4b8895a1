package io.sluice.perf.urgency;

import io.sluice.messaging.Channels;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A link of a lab with a media driver at each end. Both ends are threads of this process, started on their hosts, so
 * they share a clock.
 */
final class UrgencyPath implements AutoCloseable {
    /** Ethernet 14, IPv4 20 and UDP 8 bytes. */
    private static final int DATAGRAM_HEADERS = 42;

    /** The share of the link that the budget uses; the rest prevents queues below it. */
    private static final double USED = 0.98;

    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long DRIVER_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final double BITS_PER_MS = 8e3;

    private final long rate;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final UrgencyReceiver receiver;
    private final Link link;
    private final int mtu;

    private UrgencyPath(Lab lab, long rate) throws IOException, InterruptedException {
        this.rate = rate;
        Host from = lab.host(0);
        Host to = lab.host(1);
        try {
            receiver = to.call(() -> new UrgencyReceiver(connect(to), to.address()));
            open.push(receiver);
            Endpoint endpoint = receiver.endpoint();
            String channel = from.call(() -> new Channels().bulkUdpTo(endpoint));
            link = from.call(() -> open(connect(from), channel));
            mtu = link.maxUnfragmentedLength()
                    + ChannelSettings.MAX_MTU
                    - Channels.maxUnfragmentedLength(ChannelSettings.MAX_MTU);
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    static UrgencyPath open(Lab lab, long rate) throws IOException, InterruptedException {
        return new UrgencyPath(lab, rate);
    }

    private Transport connect(Host host) {
        Driver driver = Driver.launch(
                new Driver.Context().directory(host.folder().resolve("aeron")).idleParkNs(DRIVER_PARK_NS));
        open.push(driver);
        Transport transport = Transport.connect(new Transport.Context().directory(driver.directory()));
        open.push(transport);
        return transport;
    }

    /** Opens the link in two steps, because a frame's length in the log depends on the link's MTU. */
    private static Link open(Transport transport, String channel) {
        int longest;
        try (Link full = transport.openLink("urgency", channel, UrgentSlices.STREAM + 1)) {
            longest = full.lengthInLog(UrgentSlices.LENGTH);
        }
        Link link = transport.openLink("urgency", Channels.shortened(channel, longest), UrgentSlices.STREAM);
        link.awaitConnected(CONNECT_NS, SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
        return link;
    }

    Link link() {
        return link;
    }

    UrgencyReceiver receiver() {
        return receiver;
    }

    /** Rate of log bytes that nearly fills the link, bits per second. */
    long budgetRate() {
        double log = link.lengthInLog(UrgentSlices.LENGTH);
        return (long) (rate * USED * log / onWire());
    }

    /** Transfer time of one slice. */
    double sliceMs(long linkRate) {
        return onWire() * BITS_PER_MS / linkRate;
    }

    private double onWire() {
        int log = link.lengthInLog(UrgentSlices.LENGTH);
        return log + Math.ceilDiv(log, mtu) * (double) DATAGRAM_HEADERS;
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(open);
    }
}
