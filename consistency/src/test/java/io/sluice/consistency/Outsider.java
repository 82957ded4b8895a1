package io.sluice.consistency;

import io.aeron.ExclusivePublication;
import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.wire.Streams;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A process that is not a member of the cluster but can reach its streams, and sends what the test sets. */
public final class Outsider implements AutoCloseable {
    /** Stream of control messages in both directions. */
    private static final int CONTROL_STREAM = 10;

    private final Transport transport;
    private final ClusterPlan plan;
    private final boolean ipc;
    private final Streams streams;
    private final Map<String, ExclusivePublication> publications = new HashMap<>();

    public Outsider(TestDriver driver, ClusterPlan plan, boolean ipc) {
        this.transport = driver.connect();
        this.plan = plan;
        this.ipc = ipc;
        this.streams = new Streams(plan.clusterId());
    }

    /** Sends to the endpoint at which a node receives frames for it alone. */
    public void toNode(int node, DirectBuffer buffer, int length) {
        send(data(node), streams.to(node, 0), buffer, length);
    }

    /** Sends to the stream on which a worker receives broadcasts; in shared memory all workers receive there. */
    public void toBroadcast(int worker, DirectBuffer buffer, int length) {
        send(data(plan.workerNode(worker)), streams.broadcast(), buffer, length);
    }

    /** Sends to the streams on which relays receive broadcasts, until one of them accepts the frame. */
    public void toRelays(DirectBuffer buffer, int length) {
        List<ExclusivePublication> relays = plan.workers().stream()
                .map(place -> publication(data(place.node()), streams.relay()))
                .toList();
        Deadline.await(
                "a relay takes a message",
                () -> relays.stream()
                                .filter(relay -> relay.offer(buffer, 0, length) > 0)
                                .count()
                        > 0);
    }

    /** Sends to a node's control stream. */
    public void toControl(int node, DirectBuffer buffer, int length) {
        toControl(plan.nodes().get(node).endpoint(), buffer, length);
    }

    /** Sends to a control stream, for instance the coordinator's. */
    public void toControl(String endpoint, DirectBuffer buffer, int length) {
        send(transport.channels().udpTo(Endpoint.parse(endpoint)), CONTROL_STREAM, buffer, length);
    }

    private String data(int node) {
        return ipc
                ? transport.channels().ipc()
                : transport
                        .channels()
                        .udpTo(Endpoint.parse(plan.nodes().get(node).endpoint()));
    }

    private void send(String channel, int stream, DirectBuffer buffer, int length) {
        ExclusivePublication publication = publication(channel, stream);
        Deadline.await("stream " + stream + " takes a message", () -> publication.offer(buffer, 0, length) > 0);
    }

    private ExclusivePublication publication(String channel, int stream) {
        return publications.computeIfAbsent(
                channel + stream, _ -> transport.aeron().addExclusivePublication(channel, stream));
    }

    /** A message of random bytes. */
    public static UnsafeBuffer garbage(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(1, 500)];
        random.nextBytes(bytes);
        UnsafeBuffer buffer = new FrameBuffer(bytes.length).buffer();
        buffer.putBytes(0, bytes);
        return buffer;
    }

    @Override
    public void close() {
        transport.close();
    }
}
