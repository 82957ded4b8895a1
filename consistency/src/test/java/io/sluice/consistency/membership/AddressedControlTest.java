package io.sluice.consistency.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.sbe.ChallengeDecoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.Outsider;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Only the addressee of a control message acts on it, and only if the sender may report on its subject. */
@Timeout(240)
class AddressedControlTest {
    private static final ClusterSecret SECRET = ClusterSecret.of("what these nodes know".getBytes(US_ASCII));
    private static final long OTHER_NONCE = 77;

    private final CountDownLatch reached = new CountDownLatch(2);
    private final CountDownLatch resume = new CountDownLatch(1);
    private TestDriver driver;
    private Transport transport;

    @BeforeEach
    void launch() {
        driver = TestDriver.launch();
        transport = driver.connect();
    }

    @AfterEach
    void close() {
        transport.close();
        driver.close();
    }

    private TestCluster start(ClusterSecret secret) throws InterruptedException {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(2)
                .onDeath(DeathPolicy.SHRINK)
                .build();
        TestCluster cluster = TestCluster.of(driver, settings)
                .adjust(context -> context.secret(secret))
                .serve();
        cluster.train(this::train);
        Deadline.await(reached);
        return cluster;
    }

    private void train(Worker worker) throws InterruptedException {
        Table table = worker.table("w", 1, 8);
        worker.start(Initialiser.ZEROS);
        for (int clock = 0; clock < 4; clock++) {
            if (2 == clock) {
                reached.countDown();
                Deadline.await(resume);
            }
            table.sync();
            table.update(new float[] {1, 1, 1, 1, 1, 1, 1, 1});
            worker.clock();
        }
        worker.drain();
        assertEquals(8, table.sync().get(0));
    }

    private long rejected() {
        return Counted.of(transport, CounterType.INBOX_REJECTED, "for control of the")
                + Counted.of(transport, CounterType.INBOX_REJECTED, "of the coordinator");
    }

    @Test
    void aSealedRefusalOfOneNodeChangesNothingAtOthers() throws InterruptedException {
        try (TestCluster cluster = start(SECRET)) {
            ClusterPlan plan = cluster.plan();
            UnsafeBuffer refusal = refusal(cluster.address());
            try (Outsider outsider = new Outsider(driver, plan, false)) {
                for (int node = 0; node < plan.nodes().size(); node++) {
                    outsider.toControl(node, refusal, refusal.capacity());
                }
                Deadline.await(
                        "every node counts the rejection",
                        () -> rejected() >= plan.nodes().size());
            }
            resume.countDown();
            cluster.awaitSuccess();
            assertEquals(plan.nodes().size(), cluster.errors().size(), () -> "told of: " + cluster.errors());
            cluster.errors()
                    .forEach(error -> assertTrue(
                            error.getMessage().contains("the seal does not match the sender"), error::getMessage));
        }
    }

    /**
     * Asks for a place that is taken, as a node with the secret; returns the coordinator's answer in its sealed form.
     */
    private UnsafeBuffer refusal(String address) {
        JoinSecret secret = new JoinSecret(SECRET);
        ControlMessages messages = new ControlMessages();
        List<UnsafeBuffer> refusals = new ArrayList<>();
        List<Inbox> own = new ArrayList<>();
        int[] length = {0};
        JoinRequest request = new JoinRequest(
                Role.WORKER,
                1,
                List.of(Endpoint.parse(address)),
                new Endpoint("127.0.0.1", 0),
                List.of(),
                List.of(),
                "",
                0,
                0,
                0,
                SystemNanoClock.INSTANCE,
                SECRET);
        Inbox inbox = transport.openUdpInbox(
                "test",
                request.local(),
                ControlIds.STREAM,
                new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum()).sealed(SealRule.EITHER),
                (buffer, offset, frameLength, template, _) -> {
                    if (ChallengeDecoder.TEMPLATE_ID == template) {
                        assertTrue(secret.accepts(buffer, offset, frameLength));
                        String endpoint = own.getFirst().endpoint().toString();
                        length[0] = secret.prove(messages, request, OTHER_NONCE, endpoint, "host");
                    } else if (ErrorDecoder.TEMPLATE_ID == template) {
                        byte[] bytes = new byte[frameLength];
                        buffer.getBytes(offset, bytes);
                        refusals.add(new UnsafeBuffer(bytes));
                    }
                    return Action.CONTINUE;
                });
        own.add(inbox);
        String endpoint = inbox.endpoint().toString();
        length[0] = messages.join(Role.WORKER, true, 1, OTHER_NONCE, Claims.NONE, endpoint, "host");
        String channel = transport.channels().udpTo(Endpoint.parse(address));
        try (Link link = transport.openLink("test", channel, ControlIds.STREAM);
                inbox) {
            Deadline.await("the node is refused", () -> !refusals.isEmpty(), () -> {
                if (length[0] > 0 && link.offer(messages.buffer(), 0, length[0])) {
                    length[0] = 0; // repetitions are counted
                }
                inbox.poll(16);
            });
        }
        return refusals.getFirst();
    }

    /** Without a secret any process can send any message, but it must fit. */
    @Test
    void messagesForAnotherJoinOrAboutAnotherNodeAreDropped() throws InterruptedException {
        try (TestCluster cluster = start(null)) {
            ClusterPlan plan = cluster.plan();
            int nodes = plan.nodes().size();
            long[] sent = {0};
            try (Outsider outsider = new Outsider(driver, plan, false)) {
                for (int each = 0; each < nodes; each++) {
                    int node = each;
                    ControlMessages ofCoordinator = messages(plan, ControlIds.COORDINATOR, 1);
                    IntConsumer toNode = length -> {
                        outsider.toControl(node, ofCoordinator.buffer(), length);
                        sent[0]++;
                    };
                    toNode.accept(ofCoordinator.error(Failure.REFUSED, OTHER_NONCE, ControlIds.COORDINATOR, "no"));
                    toNode.accept(ofCoordinator.error(Failure.PEER_LOST, 0, node, "lost"));
                    toNode.accept(ofCoordinator.leave(nodes, 1));

                    ControlMessages ofNode = messages(plan, node, 0);
                    IntConsumer toCoordinator = length -> {
                        outsider.toControl(cluster.address(), ofNode.buffer(), length);
                        sent[0]++;
                    };
                    int other = (node + 1) % nodes;
                    toCoordinator.accept(ofNode.leave(other, 1));
                    toCoordinator.accept(
                            ofNode.error(Failure.PROTOCOL_BREACH, OTHER_NONCE, node, "of another incarnation"));
                    toCoordinator.accept(ofNode.error(Failure.PEER_FAILED, 0, other, "about another"));
                    toCoordinator.accept(ofNode.error(Failure.REFUSED, 0, nodes, "about no node"));
                    toCoordinator.accept(ofNode.heartbeat(0, Long.MAX_VALUE, 0));
                    toCoordinator.accept(ofNode.heartbeat(0, 0, 0));
                    toCoordinator.accept(ofNode.heartbeat(0, 1, Long.MAX_VALUE));
                }
                Deadline.await("all rejections are counted", () -> rejected() == sent[0]);
            }
            resume.countDown();
            cluster.awaitSuccess();
        }
    }

    private static ControlMessages messages(ClusterPlan plan, int origin, int epoch) {
        ControlMessages messages = new ControlMessages();
        messages.identify(plan.clusterId(), origin);
        messages.enter(epoch);
        return messages;
    }
}
