package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterType;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node repeats the report of its failure until a coordinator answers it. It counts a failure once. */
@Timeout(240)
class FaultReportTest {
    private static final ClusterSettings TERMS = TestCluster.terms()
            .servers(1)
            .workers(1)
            .heartbeatMs(100)
            .livenessMs(15_000)
            .build();

    private static final String FAULT = "round commit 3 of table w disagrees";

    private final TestDriver driver = TestDriver.launch();
    private final List<String> addresses =
            List.of(TestDriver.freeEndpoint(), TestDriver.freeEndpoint(), TestDriver.freeEndpoint());
    private final EventLog record = new EventLog();
    private final List<String> reports = new CopyOnWriteArrayList<>();
    private Transport serverSide;
    private Transport workerSide;
    private Membership server;
    private Membership worker;

    /** A coordinator whose decisions hold only while the test lets it decide. */
    private final class Leader {
        private final Queue<Event> received = new ConcurrentLinkedQueue<>();
        private final Transport transport = driver.connect();
        private final Coordinator coordinator;
        private final Thread thread;
        private volatile boolean decides = true;
        private volatile boolean ended;

        /** One of several coordinators if the term of office is not negative. */
        Leader(int member, long term) {
            coordinator = new Coordinator(
                    ControlNetwork.over(transport),
                    Endpoint.parse(addresses.get(member)),
                    TERMS,
                    7,
                    SnapshotOrders.none(),
                    TimeUnit.MINUTES.toNanos(1),
                    SystemNanoClock.INSTANCE,
                    null,
                    new Leadership(record, received::add, term, member));
            thread = Thread.ofPlatform().daemon().name("leader of term " + term).start(this::run);
        }

        private void run() {
            while (!ended) {
                coordinator.doWork();
                while (decides && !received.isEmpty()) {
                    coordinator.decided(received.remove());
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }

        /** Ends as a killed process does, without messages. */
        void kill() {
            ended = true;
            Deadline.await("the leader ends", () -> !thread.isAlive());
            transport.close();
        }
    }

    @BeforeEach
    void connect() {
        serverSide = driver.connect();
        workerSide = Transport.connect(new Transport.Context()
                .directory(driver.directory())
                .channels(driver.channels())
                .errorHandler(error -> reports.add(error.getMessage())));
    }

    @AfterEach
    void close() {
        CloseHelper.closeAll(server, worker, serverSide, workerSide, driver);
    }

    private Leader join(boolean several) throws Exception {
        Leader leader = new Leader(0, several ? 1 : -1);
        List<String> known = several ? addresses : addresses.subList(0, 1);
        CompletableFuture<Membership> joining =
                CompletableFuture.supplyAsync(() -> Membership.join(serverSide, request(Role.SERVER, known)));
        worker = Membership.join(workerSide, request(Role.WORKER, known));
        server = joining.get(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS);
        leader.decides = false;
        return leader;
    }

    private static JoinRequest request(Role role, List<String> coordinators) {
        long patienceNs = TimeUnit.MILLISECONDS.toNanos(Deadline.PATIENCE_MS);
        List<Endpoint> cluster = coordinators.stream().map(Endpoint::parse).toList();
        Endpoint local = new Endpoint("127.0.0.1", 0);
        long waitNs = TimeUnit.SECONDS.toNanos(1);
        return new JoinRequest(
                role,
                0,
                cluster,
                local,
                List.of(),
                List.of(),
                "",
                patienceNs,
                patienceNs,
                waitNs,
                SystemNanoClock.INSTANCE,
                null);
    }

    private static boolean isReport(Event decision) {
        return decision instanceof Event.Failed failed && failed.message().contains(FAULT);
    }

    /** A new coordinator at the same address counts as the only coordinator after a lost frame. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReportThatWasLostWithItsReceiverIsRepeated(boolean several) throws Exception {
        Leader first = join(several);
        worker.fail(Failure.PROTOCOL_BREACH, FAULT);
        Deadline.await("the first has the report", () -> first.received.stream().anyMatch(FaultReportTest::isReport));
        first.kill();
        Leader second = several ? new Leader(1, 2) : new Leader(0, -1);
        try {
            worker.leave(3);
            Deadline.await("the report is decided", () -> null != record.state().failure());
            assertEquals(
                    new Event.Failed(Failure.PROTOCOL_BREACH, 1, "worker 0: " + FAULT),
                    record.state().failure());
            ClusterException heard = heardBy(server);
            assertEquals(Failure.PROTOCOL_BREACH, heard.failure());
            assertEquals("worker 0: " + FAULT, heard.getMessage());
        } finally {
            second.kill();
        }
    }

    private static ClusterException heardBy(Membership node) {
        ClusterException[] heard = new ClusterException[1];
        Deadline.await("the node receives the failure", () -> {
            try {
                node.check();
                return false;
            } catch (ClusterException e) {
                heard[0] = e;
                return true;
            }
        });
        return heard[0];
    }

    /**
     * The stage that finds a value that is not finite, the call that ends because of it and each later call report the
     * same failure.
     */
    @Test
    void aValueThatIsNotFiniteCountsOnceAtTheNodeThatHasFoundIt() throws Exception {
        Leader leader = join(false);
        try {
            leader.decides = true;
            worker.failed(worker.fail(Failure.NOT_FINITE, FAULT));
            worker.failed(heardBy(worker));
            ClusterException heard = heardBy(server);
            server.failed(heard);
            assertEquals(Failure.NOT_FINITE, heard.failure());
            assertEquals(1, notFinite(worker));
            assertEquals(0, notFinite(server));
        } finally {
            leader.kill();
        }
    }

    private static long notFinite(Membership node) {
        return node.counters().counter(CounterType.NODE_NOT_FINITE).get();
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(booleans = {true, false})
    void aNodeWhoseReportIsNotAnsweredReportsThatAndSendsNothingElse(boolean several) throws Exception {
        Leader deaf = join(several);
        worker.fail(Failure.PROTOCOL_BREACH, FAULT);
        long startNs = System.nanoTime();
        worker.leave(3);
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        deaf.kill();
        assertTrue(tookMs < 30_000, tookMs + " ms");
        assertTrue(
                reports.stream()
                        .anyMatch(said -> said.startsWith("worker 0 has failed, and ")
                                && said.endsWith(
                                        " has not answered its report within 1000 ms: other nodes will detect it"
                                                + " by its silence")),
                () -> "reports: " + reports);
        assertTrue(deaf.received.stream().allMatch(FaultReportTest::isReport), () -> "received: " + deaf.received);
        ClusterException failure = assertThrows(ClusterException.class, worker::check);
        assertEquals(FAULT, failure.getMessage());
    }
}
