package io.sluice.perf.bandwidth;

import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.sluice.messaging.Driver;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.Routes;
import io.sluice.messaging.Transport;
import io.sluice.messaging.bandwidth.ProbeReflector;
import java.io.IOException;
import java.net.DatagramSocket;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** Receives at the far end: a stream, probes, and cross traffic that is not read. Ends with its standard input. */
final class FarNode {
    private static final int FRAGMENTS = 64;
    private static final FragmentHandler DROP = (buffer, offset, length, header) -> {};

    private FarNode() {}

    public static void main(String[] args) throws IOException {
        Endpoint local = new Endpoint(args[0], 0);
        try (Driver driver = NearNode.launch("far");
                Transport transport = NearNode.connect(driver);
                ProbeReflector reflector = ProbeReflector.open(local, NearNode.CLUSTER);
                DatagramSocket sink = new DatagramSocket(local.resolve())) {
            Endpoint data = local.withPort(Routes.freePort(local));
            Subscription subscription =
                    transport.aeron().addSubscription(transport.channels().udpAt(data), NearNode.STREAM);
            System.out.println(
                    "ready " + data.port() + " " + reflector.endpoint().port() + " " + sink.getLocalPort());
            ParentProcess.watch();
            IdleStrategy idle = new BackoffIdleStrategy();
            while (!ParentProcess.isGone()) {
                idle.idle(subscription.poll(DROP, FRAGMENTS));
            }
        }
    }
}
