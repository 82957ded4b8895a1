package io.sluice.consistency.wire;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.tree.Place;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Shared parts of repair tests: links in shared memory, and frames of a simulated cluster. */
public final class RepairBench implements AutoCloseable {
    private static final AtomicInteger STREAMS = new AtomicInteger(8_000);

    public final Transport transport;
    private final ClusterPlan plan;

    /** The plan of a cluster of one server, which is node 0, and some workers. */
    public RepairBench(TestDriver driver, int workers) {
        transport = driver.connect();
        ClusterSettings settings =
                TestCluster.terms().servers(1).workers(workers).build();
        List<Place> nodes = IntStream.range(0, 1 + workers)
                .mapToObj(node -> new Place(node, "h", "h:" + node))
                .toList();
        plan = new ClusterPlan(5, 0, settings, nodes);
    }

    public FrameWriter writer(int node) {
        return new FrameWriter(plan, node, null, FrameSeal.checksumOnly());
    }

    /** The first of several streams that no other test uses. */
    public int newStreams(int count) {
        return STREAMS.getAndAdd(count);
    }

    public Inbox inbox(int stream, FrameHandler handler) {
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
        return transport.openIpcInbox("test", stream, validator, handler);
    }

    public Link link(int stream) {
        return transport.openLink("test " + stream, transport.channels().ipc(), stream);
    }

    public Link connectedLink(int stream) {
        Link link = link(stream);
        Deadline.await("the link has room", () -> link.isConnected() && link.room() > 0);
        return link;
    }

    @Override
    public void close() {
        transport.close();
    }
}
