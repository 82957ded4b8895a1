package io.sluice.consistency.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Subscription;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.JoinProof;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.Outsider;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterType;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only nodes with the secret join, and the cluster ignores all other processes. */
@Timeout(240)
class SecretTest {
    private static final ClusterSecret SECRET = ClusterSecret.of("what these nodes know".getBytes(US_ASCII));
    private static final ClusterSecret OTHER = ClusterSecret.of("what an outsider knows".getBytes(US_ASCII));
    private static final int CLOCKS = 40;

    private static TestDriver driver;

    private final CountDownLatch reached = new CountDownLatch(2);
    private final CountDownLatch resume = new CountDownLatch(1);

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms() {
        return TestCluster.terms().servers(1).workers(2);
    }

    private static TestCluster start(ClusterSettings settings) {
        return TestCluster.of(driver, settings)
                .adjust(context -> context.secret(SECRET))
                .serve();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nodesWithTheSecretTrain(boolean seal) {
        resume.countDown();
        try (TestCluster cluster = start(terms().seal(seal).build())) {
            cluster.train(this::train);
            cluster.awaitSuccess();
            assertEquals(List.of(), cluster.errors());
        }
    }

    @Test
    @Tag("slow")
    void aWrongSecretIsRefusedOnBothSidesAndReportedOnce() {
        resume.countDown();
        try (TestCluster cluster = start(terms().build())) {
            for (int attempt = 0; attempt < 3; attempt++) {
                ClusterException refused = refused(cluster, OTHER);
                assertEquals(
                        "the coordinator at " + cluster.address()
                                + " has another secret than this node: compare the secret files of both hosts",
                        refused.getMessage());
            }
            Deadline.await(
                    "the coordinator reports the refusal",
                    () -> !cluster.errors().isEmpty());
            cluster.train(this::train);
            cluster.awaitSuccess();
            assertEquals(1, cluster.errors().size(), () -> "reports: " + cluster.errors());
            String told = cluster.errors().getFirst().getMessage();
            assertTrue(told.contains("did not prove that it knows the cluster's secret"), told);
        }
    }

    @Test
    void aNodeWithoutASecretLearnsThatTheClusterHasOne() {
        resume.countDown();
        try (TestCluster cluster = start(terms().build())) {
            ClusterException refused = refused(cluster, null);
            assertTrue(
                    refused.getMessage().contains("the node has no secret, and this cluster has one"),
                    refused::getMessage);
            cluster.train(this::train);
            cluster.awaitSuccess();
        }
    }

    @Test
    @Tag("slow")
    void aNodeWithASecretDoesNotJoinAClusterWithoutOne() {
        resume.countDown();
        try (TestCluster cluster = TestCluster.start(driver, terms().build())) {
            ClusterException refused = refused(cluster, SECRET);
            assertTrue(
                    refused.getMessage().contains("the node has a secret, and this cluster has none"),
                    refused::getMessage);
            cluster.train(this::train);
            cluster.awaitSuccess();
            String told = cluster.errors().getFirst().getMessage();
            assertTrue(told.contains("was refused: the node has a secret"), told);
        }
    }

    /** An outsider that has overheard a join can answer it before the coordinator does. */
    @Test
    void oneAnswerOfAnOutsiderDoesNotEndANodeThatWaitsForItsCoordinator() {
        AtomicLong aheadNs = new AtomicLong();
        TestCluster cluster = TestCluster.of(driver, terms().workers(1).build())
                .adjust(context -> context.secret(SECRET).clock(() -> System.nanoTime() + aheadNs.get()));
        try (cluster;
                Transport transport = driver.connect()) {
            cluster.adjustWorkers(context -> context.answerNs(TimeUnit.MINUTES.toNanos(1)));
            cluster.train(0, worker -> {
                worker.table("w", 1, 8);
                worker.start(Initialiser.ZEROS);
                worker.drain();
            });
            answerOnce(transport, cluster, () -> aheadNs.set(TimeUnit.SECONDS.toNanos(5)));
            cluster.serve(0);
            cluster.awaitSuccess();
        }
    }

    /** Answers one join in the coordinator's name, once with each kind of answer, and continues to read joins. */
    private static void answerOnce(Transport transport, TestCluster cluster, Runnable later) {
        ControlMessages messages = new ControlMessages();
        messages.identify(7, ControlIds.COORDINATOR);
        List<JoinDecoder> joins = new ArrayList<>();
        List<Link> links = new ArrayList<>();
        Inbox inbox = transport.openUdpInbox(
                "test",
                Endpoint.parse(cluster.address()),
                ControlIds.STREAM,
                new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum()),
                (buffer, offset, _, _, _) -> {
                    JoinDecoder join = new JoinDecoder().wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder());
                    joins.add(join);
                    if (links.isEmpty()) {
                        String channel = transport.channels().udpTo(Endpoint.parse(join.endpoint()));
                        Link link = transport.openLink("test", channel, ControlIds.STREAM);
                        links.add(link);
                        JoinProof foreign = new JoinProof(new KeySchedule(OTHER));
                        byte[] random = JoinProof.newChallenge();
                        offer(link, messages, messages.heartbeat(0, 1, 0));
                        offer(link, messages, messages.error(Failure.REFUSED, join.nonce(), 0, "says an outsider"));
                        offer(link, messages, messages.challenge(join.nonce(), 5, random, foreign));
                    }
                    return Action.CONTINUE;
                });
        Runnable step = () -> {
            assertEquals(Map.of(), cluster.failures());
            inbox.poll(1);
        };
        Deadline.await(
                "the node counts all forged answers",
                () -> Counted.of(transport, CounterType.INBOX_REJECTED, "for control of the worker") >= 3,
                step);
        later.run();
        int asked = joins.size();
        Deadline.await("the node repeats its join", () -> joins.size() >= asked + 2, step);
        inbox.close();
        links.forEach(Link::close);
    }

    private static void offer(Link link, ControlMessages messages, int length) {
        Deadline.await("the worker is reached", () -> link.offer(messages.buffer(), 0, length));
    }

    @Test
    void aTakenPlaceIsRefusedWithProof() throws Exception {
        try (TestCluster cluster = start(terms().build())) {
            cluster.train(1, this::train);
            cluster.train(0, this::train);
            assertTrue(reached.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            ClusterException refused = refused(cluster, SECRET);
            assertEquals("refused by " + cluster.address() + ": worker 1 has already joined", refused.getMessage());
            resume.countDown();
            cluster.awaitSuccess();
        }
    }

    private static ClusterException refused(TestCluster cluster, ClusterSecret secret) {
        WorkerContext context = cluster.context(new WorkerContext().index(1)).secret(secret);
        ClusterException refused = assertThrows(ClusterException.class, () -> Worker.connect(context));
        assertEquals(Failure.REFUSED, refused.failure(), refused.getMessage());
        return refused;
    }

    /** Without a secret these messages would end or change the cluster. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void messagesOfAnOutsiderHaveNoEffect(boolean sealed) throws Exception {
        ClusterSettings settings = terms().onDeath(DeathPolicy.SHRINK).build();
        try (TestCluster cluster = start(settings)) {
            cluster.train(this::train);
            assertTrue(reached.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            ClusterPlan plan = cluster.plan();
            try (Outsider outsider = new Outsider(driver, plan, false)) {
                for (int node = 0; node < plan.nodes().size(); node++) {
                    ControlMessages fromCoordinator = forger(plan, ControlIds.COORDINATOR, sealed);
                    int to = node;
                    forgeAll(
                            fromCoordinator,
                            plan,
                            node,
                            length -> outsider.toControl(to, fromCoordinator.buffer(), length));
                    ControlMessages fromNode = forger(plan, node, sealed);
                    forgeAll(
                            fromNode,
                            plan,
                            node,
                            length -> outsider.toControl(cluster.address(), fromNode.buffer(), length));
                }
                Deadline.await(
                        "the rejection is reported",
                        () -> cluster.errors().size() >= plan.nodes().size());
            }
            resume.countDown();
            cluster.awaitSuccess();
            String expected = sealed ? "the seal does not match the sender" : "the frame is not sealed";
            cluster.errors().forEach(error -> assertTrue(error.getMessage().contains(expected), error::getMessage));
            int inboxes = plan.nodes().size() + 1;
            assertEquals(inboxes, cluster.errors().size(), () -> "once at each inbox: " + cluster.errors());
        }
    }

    private static ControlMessages forger(ClusterPlan plan, int origin, boolean sealed) {
        ControlMessages messages = new ControlMessages();
        messages.identify(plan.clusterId(), origin);
        messages.enter(1);
        if (sealed) {
            KeySchedule foreign = new KeySchedule(OTHER);
            FrameSeal seal = new SenderSeals(foreign.sender(plan.clusterId(), 0, origin, 1)).newSeal();
            messages.sealWith(ControlIds.COORDINATOR == origin ? seal.toAddressee(1) : seal);
            for (int i = 0; i < 5_000; i++) {
                messages.heartbeat(
                        0, 1, 0); // its counter is above all used ones, which would be rejected for that reason alone
            }
        }
        return messages;
    }

    private static void forgeAll(ControlMessages messages, ClusterPlan plan, int node, IntConsumer send) {
        send.accept(messages.heartbeat(1_000, 1, 0));
        send.accept(messages.leave(node, 1));
        send.accept(messages.leave(ControlIds.COORDINATOR, 1));
        Event lost = new Event.Lost(new Incarnation(plan.workerNode(0), 0), 1, Failure.PEER_LOST, "says an outsider");
        send.accept(messages.event(2, EventCodec.encode(lost)));
        send.accept(messages.error(Failure.PEER_FAILED, 0, node, "says an outsider"));
        send.accept(messages.error(Failure.PROTOCOL_BREACH, 0, node, "says an outsider"));
        send.accept(messages.welcome(plan.settings(), node, 1, ClusterState.EMPTY));
    }

    @Test
    void messagesOfNodesCannotBeReplayed() throws Exception {
        try (TestCluster cluster = start(terms().livenessMs(2_000).build());
                Transport transport = driver.connect();
                Subscription spy = transport
                        .aeron()
                        .addSubscription(
                                "aeron-spy:" + transport.channels().udpTo(Endpoint.parse(cluster.address())),
                                ControlIds.STREAM)) {
            cluster.train(this::train);
            assertTrue(reached.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            List<UnsafeBuffer> heard = new ArrayList<>();
            Deadline.await("ten messages are overheard", () -> {
                spy.poll(
                        (buffer, offset, length, header) -> {
                            byte[] bytes = new byte[length];
                            buffer.getBytes(offset, bytes);
                            heard.add(new UnsafeBuffer(bytes));
                        },
                        16);
                return heard.size() >= 10;
            });
            try (Outsider outsider = new Outsider(driver, cluster.plan(), false)) {
                for (UnsafeBuffer message : heard) {
                    outsider.toControl(cluster.address(), message, message.capacity());
                }
                Deadline.await(
                        "the rejection is reported", () -> !cluster.errors().isEmpty());
            }
            resume.countDown();
            cluster.awaitSuccess();
            assertEquals(1, cluster.errors().size(), () -> "reports: " + cluster.errors());
            String told = cluster.errors().getFirst().getMessage();
            assertTrue(told.contains("the frame was opened before"), told);
        }
    }

    @Test
    void withoutASecretNodesStayOnTheirHost() throws Exception {
        InetAddress reachable = InetAddress.ofLiteral("10.1.2.3");
        WorkerContext none = new WorkerContext();
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> none.requireSecretBeyondLoopback("this worker", reachable))
                .getMessage();
        assertTrue(
                message.startsWith("this worker would listen on 10.1.2.3,")
                        && message.contains("sluice.without.secret"),
                message);
        assertThrows(
                IllegalArgumentException.class,
                () -> none.requireSecretBeyondLoopback("this worker", InetAddress.ofLiteral("0.0.0.0")));
        assertDoesNotThrow(() -> none.requireSecretBeyondLoopback("this worker", InetAddress.ofLiteral("127.0.0.1")));
        assertDoesNotThrow(() -> none.requireSecretBeyondLoopback("this worker", InetAddress.ofLiteral("::1")));
        assertDoesNotThrow(
                () -> new WorkerContext().secret(SECRET).requireSecretBeyondLoopback("this worker", reachable));
        assertDoesNotThrow(
                () -> new WorkerContext().withoutSecret(true).requireSecretBeyondLoopback("this worker", reachable));

        WorkerContext bound = new WorkerContext().bindHost("0.0.0.0");
        bound.conclude();
        assertThrows(IllegalArgumentException.class, () -> JoinRequest.of(bound, Role.WORKER, _ -> {}));
    }

    @Test
    void sealsNeedASecret() {
        ServerContext context =
                new ServerContext().coordinate(terms().seal(true).build());
        String message =
                assertThrows(IllegalArgumentException.class, context::conclude).getMessage();
        assertTrue(message.contains("no secret to derive keys from"), message);
    }

    private void train(Worker worker) throws InterruptedException {
        Table table = worker.table("w", 10, 20);
        worker.start(Initialiser.ZEROS);
        float[] ones = new float[200];
        Arrays.fill(ones, 1);
        for (int clock = 0; clock < CLOCKS; clock++) {
            if (CLOCKS / 2 == clock) {
                reached.countDown();
                assertTrue(resume.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            }
            table.sync();
            table.update(ones);
            worker.clock();
        }
        worker.drain();
        assertEquals(2 * CLOCKS, table.sync().get(0));
    }
}
