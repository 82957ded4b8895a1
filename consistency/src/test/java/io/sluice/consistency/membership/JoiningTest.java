package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.ExclusivePublication;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.StoppableClock;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterType;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The coordinator admits nodes with free places, and tells refused nodes the reason. */
@Timeout(240)
class JoiningTest {
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(1_200);

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettings oneServer(int workers) {
        return TestCluster.terms().servers(1).workers(workers).build();
    }

    private static ClusterException refused(TestCluster cluster, WorkerContext context) {
        return assertThrows(ClusterException.class, () -> Worker.connect(cluster.context(context)));
    }

    @Test
    void nodesThatNameNoIndexGetFreeOnes() {
        CopyOnWriteArrayList<Integer> indices = new CopyOnWriteArrayList<>();
        try (TestCluster cluster = TestCluster.start(driver, oneServer(3))) {
            cluster.adjustWorkers(worker -> worker.index(1 == worker.index() ? 1 : -1));
            cluster.train(worker -> indices.add(worker.index()));
            cluster.awaitSuccess();
        }
        indices.sort(null);
        assertEquals(List.of(0, 1, 2), indices);
    }

    @Test
    void anIndexThatIsInUseOrDoesNotExistIsRefused() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.start(driver, oneServer(2))) {
            ClusterException outOfRange = refused(cluster, new WorkerContext().index(2));
            assertEquals(Failure.REFUSED, outOfRange.failure());
            assertEquals(
                    "refused by " + cluster.address() + ": there is no worker 2 in a cluster of 2 workers",
                    outOfRange.getMessage());

            // The coordinator refuses the second of the two.
            cluster.train("worker 1", 1, worker -> assertTrue(done.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS)));
            cluster.train("a rival", 1, worker -> assertTrue(done.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS)));
            ClusterException taken = cluster.awaitAnyFailure();
            assertEquals(Failure.REFUSED, taken.failure());
            assertEquals("refused by " + cluster.address() + ": worker 1 has already joined", taken.getMessage());

            cluster.train(0, worker -> assertTrue(done.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS)));
            cluster.server(0);
            ClusterException complete = refused(cluster, new WorkerContext());
            assertEquals(Failure.REFUSED, complete.failure());
            assertEquals(
                    "refused by " + cluster.address() + ": all 2 workers have already joined: more can join while the"
                            + " job runs only if its terms have places for them (workerPlaces)",
                    complete.getMessage());
            done.countDown();
            assertNull(cluster.awaitEnd("server 0"));
            assertNull(cluster.awaitEnd("worker 0"));
        }
    }

    @Test
    void withoutACoordinatorTheWaitEndsWithTheAddress() {
        String address = TestDriver.freeEndpoint();
        long startNs = System.nanoTime();
        ClusterException failure = assertThrows(
                ClusterException.class,
                () -> Worker.connect(new WorkerContext()
                        .cluster(address)
                        .aeronDirectory(driver.directory())
                        .channels(driver.lengths())
                        .answerNs(SHORT_NS)));
        assertEquals(Failure.TIMEOUT, failure.failure());
        assertEquals(
                "no coordinator answered at " + address
                        + " within 1 s: is the first server running, and is the address right?",
                failure.getMessage());
        assertTrue(System.nanoTime() - startNs < 10 * SHORT_NS);
    }

    @Test
    void withoutACoordinatorTheErrorSaysThatNoneAnsweredHoweverShortTheWait() {
        String address = TestDriver.freeEndpoint();
        ClusterException failure = assertThrows(
                ClusterException.class,
                () -> Worker.connect(new WorkerContext()
                        .cluster(address)
                        .aeronDirectory(driver.directory())
                        .channels(driver.lengths())
                        .completeNs(SHORT_NS)));
        String expected = "no coordinator answered at " + address + " within 1 s";
        assertTrue(failure.getMessage().startsWith(expected), failure::toString);
    }

    @Test
    void anAnswerToAnotherJoinDoesNotEndTheWait() {
        String address = TestDriver.freeEndpoint();
        List<Link> answered = new ArrayList<>();
        CompletableFuture<Worker> joining = CompletableFuture.supplyAsync(() -> Worker.connect(new WorkerContext()
                .cluster(address)
                .aeronDirectory(driver.directory())
                .channels(driver.lengths())));
        try (Transport transport = driver.connect()) {
            ControlMessages messages = new ControlMessages();
            messages.identify(7, ControlIds.COORDINATOR);
            Inbox inbox = transport.openUdpInbox(
                    "test",
                    Endpoint.parse(address),
                    ControlIds.STREAM,
                    new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum()),
                    (buffer, offset, _, _, _) -> {
                        JoinDecoder join =
                                new JoinDecoder().wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder());
                        if (answered.isEmpty()) {
                            long nonce = join.nonce();
                            String channel = transport.channels().udpTo(Endpoint.parse(join.endpoint()));
                            Link link = transport.openLink("test", channel, ControlIds.STREAM);
                            answered.add(link);
                            offer(link, messages, messages.lead(nonce + 1, 0, 1, 0, null));
                            String reason = "there is no place";
                            offer(link, messages, messages.error(Failure.REFUSED, nonce, 0, reason));
                        }
                        return Action.CONTINUE;
                    });
            Deadline.await("the worker's join ends", joining::isDone, () -> inbox.poll(1));
            answered.forEach(Link::close);
        }
        assertEquals(
                "refused by " + address + ": there is no place",
                joining.exceptionNow().getMessage());
    }

    private static void offer(Link link, ControlMessages messages, int length) {
        Deadline.await("the worker is reached", () -> link.offer(messages.buffer(), 0, length));
    }

    @Tag("slow")
    @Test
    void allNodesOfAnIncompleteClusterStopWaiting() {
        try (TestCluster cluster = TestCluster.start(driver, oneServer(2))) {
            cluster.adjustWorkers(context -> context.completeNs(SHORT_NS));
            cluster.train(0, worker -> {});
            ClusterException failure = cluster.awaitFailure("worker 0");
            assertEquals(Failure.TIMEOUT, failure.failure());
            assertEquals(
                    "the cluster at " + cluster.address()
                            + " was not complete within 1 s: the coordinator answers, and names the nodes that it"
                            + " waits for in its output",
                    failure.getMessage());
        }
    }

    private static void awaitJoining(Thread thread) {
        Deadline.await(
                "worker 0 is waiting",
                () -> Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(Joining.class.getName())));
    }

    /**
     * A node that joins asks every 200 ms. So the pause is longer than the default liveness time, because machines are
     * busy at the start of a job.
     */
    @Test
    @Tag("slow")
    void nodesWaitForACoordinatorThatStallsAtTheStart() {
        StoppableClock stopped = new StoppableClock();
        TestCluster.Trainer trainer = worker -> {
            worker.table("w", 1, 8);
            worker.start(Initialiser.ZEROS);
            worker.clock();
            worker.drain();
        };
        try (TestDriver own = TestDriver.launch();
                TestCluster cluster = TestCluster.of(own, oneServer(2))) {
            cluster.adjustServers(context -> context.clock(stopped)).serve();
            cluster.train(0, trainer);
            Deadline.await(
                    "worker 0 has an answer",
                    () -> own.sum(CounterType.INBOX_FRAMES_RECEIVED, "for control of the worker") > 0);
            stopped.stop();
            long asked = own.sum(CounterType.LINK_FRAMES_SENT, "to the coordinator");
            Deadline.await(
                    "worker 0 keeps asking",
                    () -> own.sum(CounterType.LINK_FRAMES_SENT, "to the coordinator") >= asked + 15);
            stopped.resume();
            cluster.train(1, trainer);
            cluster.awaitSuccess();
        }
    }

    @Tag("slow")
    @Test
    void anInterruptEndsTheWait() {
        try (TestCluster cluster = TestCluster.start(driver, oneServer(2))) {
            cluster.train(0, worker -> {});
            Thread thread = cluster.thread("worker 0");
            awaitJoining(thread);
            thread.interrupt();
            ClusterException failure = cluster.awaitFailure("worker 0");
            assertEquals(Failure.CLOSED, failure.failure());
            assertEquals("interrupted while joining the cluster", failure.getMessage());
        }
    }

    @Test
    void aNodeOfAnotherVersionLearnsTheReason() {
        CopyOnWriteArrayList<String> answers = new CopyOnWriteArrayList<>();
        try (TestCluster cluster = TestCluster.start(driver, oneServer(1));
                Transport transport = driver.connect()) {
            FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
            Inbox inbox = transport.openUdpInbox(
                    "test",
                    new Endpoint("127.0.0.1", 0),
                    ControlIds.STREAM,
                    validator,
                    (buffer, offset, length, template, session) -> {
                        if (ErrorDecoder.TEMPLATE_ID == template) {
                            ErrorDecoder error =
                                    new ErrorDecoder().wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder());
                            answers.add(Failure.coded(error.code()) + " " + error.nonce() + " " + error.message());
                        }
                        return Action.CONTINUE;
                    });
            ControlMessages messages = new ControlMessages();
            int length = messages.join(
                    Role.WORKER, false, 0, 77, Claims.NONE, inbox.endpoint().toString(), "host");
            MutableDirectBuffer join = messages.buffer();
            join.putShort(Frame.VERSION_OFFSET, (short) 9, ByteOrder.LITTLE_ENDIAN);
            new FrameChecksum().write(join, 0, length);
            String channel = transport.channels().udpTo(Endpoint.parse(cluster.address()));
            try (ExclusivePublication link = transport.aeron().addExclusivePublication(channel, ControlIds.STREAM)) {
                Deadline.await("the coordinator is reached", () -> link.offer(join, 0, length) > 0);
                Deadline.await("the coordinator answers", () -> !answers.isEmpty(), () -> inbox.poll(16));
            }
            assertEquals(
                    "REFUSED 77 the node speaks protocol version 9, this cluster speaks " + Frame.SCHEMA_VERSION
                            + ": run the same version of Sluice everywhere",
                    answers.getFirst());
            cluster.train(worker -> {
                worker.table("w", 1, 1);
                worker.start(Initialiser.ZEROS);
            });
            cluster.awaitSuccess();
        }
    }
}
