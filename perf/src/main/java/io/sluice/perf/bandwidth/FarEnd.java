package io.sluice.perf.bandwidth;

import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.sluice.messaging.Routes;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.bandwidth.ProbeReflector;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.lab.Host;
import io.sluice.perf.nodes.PollingThread;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.agrona.CloseHelper;
import org.agrona.concurrent.BackoffIdleStrategy;

/** The receivers of a stream and of probes on a host of a lab. */
final class FarEnd implements AutoCloseable {
    static final long CLUSTER = 0x5354_5541_4C53L;
    static final int STREAM = 1;
    private static final int FRAGMENTS = 64;
    private static final FragmentHandler DROP = (buffer, offset, length, header) -> {};

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Endpoint data;
    private final Endpoint probes;

    private FarEnd(Host host) throws IOException {
        Endpoint local = new Endpoint(host.address(), 0);
        Transport transport = connect(host, open);
        data = local.withPort(Routes.freePort(local));
        Subscription subscription =
                transport.aeron().addSubscription(transport.channels().udpAt(data), STREAM);
        open.push(new PollingThread("receiver", new BackoffIdleStrategy(), () -> subscription.poll(DROP, FRAGMENTS)));
        ProbeReflector reflector = ProbeReflector.open(local, CLUSTER);
        open.push(reflector);
        probes = reflector.endpoint();
    }

    /** Opens the receivers; their threads stay on the host. */
    static FarEnd on(Host host) throws IOException, InterruptedException {
        return host.call(() -> new FarEnd(host));
    }

    /** Connects to a media driver of its own on the host of the calling thread. */
    static Transport connect(Host host, Deque<AutoCloseable> open) {
        Driver driver =
                Driver.launch(new Driver.Context().directory(host.folder().resolve("aeron")));
        open.push(driver);
        Transport transport = Transport.connect(new Transport.Context().directory(driver.directory()));
        open.push(transport);
        return transport;
    }

    Endpoint data() {
        return data;
    }

    Endpoint probes() {
        return probes;
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(open);
    }
}
