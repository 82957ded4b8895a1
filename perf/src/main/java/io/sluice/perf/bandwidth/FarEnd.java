package io.sluice.perf.bandwidth;

import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.sluice.messaging.Routes;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.bandwidth.ProbeReflector;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.nodes.NodeTask;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.UUID;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** Receives a stream and probes at the far end, until its process ends. */
record FarEnd(String address) implements NodeTask<FarEnd.Ports> {
    static final long CLUSTER = 0x5354_5541_4C53L;
    static final int STREAM = 1;
    private static final int FRAGMENTS = 64;
    private static final FragmentHandler DROP = (buffer, offset, length, header) -> {};

    /** The ports that receive the stream and the probes. */
    record Ports(int data, int probes) implements Serializable {}

    @Override
    public Ports run() {
        Endpoint local = new Endpoint(address, 0);
        Transport transport = connect("far");
        Endpoint data = local.withPort(Routes.freePort(local));
        Subscription subscription =
                transport.aeron().addSubscription(transport.channels().udpAt(data), STREAM);
        ProbeReflector reflector = ProbeReflector.open(local, CLUSTER);
        IdleStrategy idle = new BackoffIdleStrategy();
        Thread.ofPlatform().daemon().name("receiver").start(() -> {
            while (!transport.aeron().isClosed()) {
                idle.idle(subscription.poll(DROP, FRAGMENTS));
            }
        });
        return new Ports(data.port(), reflector.endpoint().port());
    }

    /** Connects to a media driver of its own, which ends with the process. */
    static Transport connect(String name) {
        Path directory = Path.of("/dev/shm", "sluice-bandwidth-" + name + "-" + UUID.randomUUID());
        Driver driver = Driver.launch(new Driver.Context().directory(directory).closeOnShutdown(true));
        return Transport.connect(new Transport.Context().directory(driver.directory()));
    }
}
