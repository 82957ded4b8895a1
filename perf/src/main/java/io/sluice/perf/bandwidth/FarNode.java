package io.sluice.perf.bandwidth;

import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.sluice.messaging.Routes;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.bandwidth.ProbeReflector;
import io.sluice.perf.nodes.NodeTask;
import java.io.IOException;
import java.io.Serializable;
import java.net.DatagramSocket;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * Receives at the far end until its process ends: a stream, probes, and cross traffic that is not read.
 *
 * @param address address of its host
 */
record FarNode(String address) implements NodeTask<FarNode.Ports> {
    private static final int FRAGMENTS = 64;
    private static final FragmentHandler DROP = (buffer, offset, length, header) -> {};

    /** The ports for the stream, the probes and the cross traffic. */
    record Ports(int data, int probes, int sink) implements Serializable {}

    /** The receivers, which stay open until the process ends. */
    private record Receivers(Subscription subscription, ProbeReflector reflector, DatagramSocket sink) {}

    @Override
    public Ports run() throws IOException {
        Endpoint local = new Endpoint(address, 0);
        Transport transport = NearNode.connect("far");
        Endpoint data = local.withPort(Routes.freePort(local));
        Receivers receivers = new Receivers(
                transport.aeron().addSubscription(transport.channels().udpAt(data), NearNode.STREAM),
                ProbeReflector.open(local, NearNode.CLUSTER),
                new DatagramSocket(local.resolve()));
        Thread.ofPlatform().daemon().name("receiver").start(() -> receive(receivers));
        return new Ports(
                data.port(),
                receivers.reflector().endpoint().port(),
                receivers.sink().getLocalPort());
    }

    private static void receive(Receivers receivers) {
        IdleStrategy idle = new BackoffIdleStrategy();
        while (!receivers.sink().isClosed()) {
            idle.idle(receivers.subscription().poll(DROP, FRAGMENTS));
        }
    }
}
