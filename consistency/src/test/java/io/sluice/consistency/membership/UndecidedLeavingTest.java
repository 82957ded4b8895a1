package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.ChildNode;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A node that leaves or fails while none of several coordinators can decide reports this and still releases its
 * resources.
 */
@Timeout(240)
class UndecidedLeavingTest {
    private static final ClusterSettings TERMS =
            TestCluster.terms().servers(1).workers(1).build();

    private final TestDriver driver = TestDriver.launch();
    private final Leader leader = new Leader(driver);
    private TestCluster cluster;

    /** The only running one of three coordinators. It leads while the test simulates the consent of the others. */
    private static final class Leader {
        private final String address = TestDriver.freeEndpoint();
        private final Queue<Event> putDown = new ArrayDeque<>();
        private final Transport transport;
        private final Coordinator coordinator;
        private final Thread thread;
        private volatile boolean hasMajority = true;
        private volatile boolean ended;

        Leader(TestDriver driver) {
            transport = driver.connect();
            coordinator = new Coordinator(
                    ControlNetwork.over(transport),
                    Endpoint.parse(address),
                    TERMS,
                    7,
                    SnapshotOrders.none(),
                    TimeUnit.MINUTES.toNanos(1),
                    SystemNanoClock.INSTANCE,
                    null,
                    new Leadership(new EventLog(), putDown::add, 1, 0));
            thread = Thread.ofPlatform().daemon().name("test leader").start(this::run);
        }

        private void run() {
            while (!ended) {
                coordinator.doWork();
                while (hasMajority && !putDown.isEmpty()) {
                    coordinator.decided(putDown.remove());
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            coordinator.onClose();
            transport.close();
        }

        void end() {
            ended = true;
            Deadline.await("the leader ends", () -> !thread.isAlive());
        }
    }

    @BeforeEach
    void open() {
        String all = String.join(",", leader.address, TestDriver.freeEndpoint(), TestDriver.freeEndpoint());
        cluster = TestCluster.of(driver, TERMS)
                .coordinatedAt(all)
                .adjust(node -> node.coordinatorWaitNs(TimeUnit.SECONDS.toNanos(1)));
        cluster.serve();
    }

    @AfterEach
    void close() {
        cluster.close();
        leader.end();
        driver.close();
    }

    private void awaitRelease(String node) {
        Deadline.await("the counters of " + node + " are freed", () -> {
            try (DriverView view = DriverView.open(driver.directory())) {
                return view.read().entries().stream()
                        .noneMatch(entry -> entry.node().equals(node));
            }
        });
    }

    private static void assertUndecided(String node, Throwable failure) {
        ClusterException undecided = assertInstanceOf(ClusterException.class, failure);
        assertEquals(Failure.TIMEOUT, undecided.failure());
        assertTrue(undecided.getMessage().startsWith(node + " requests to leave, but "), undecided.getMessage());
    }

    @Test
    @Tag("slow")
    void aWorkerEndsWithATimeout() {
        cluster.train(worker -> {
            worker.table("w", 4, 4);
            worker.start(Initialiser.ZEROS);
            leader.hasMajority = false;
        });
        assertUndecided("worker 0", cluster.awaitFailure("worker 0"));
        awaitRelease("worker 0");
    }

    /** The server has already thrown its failure, so it only reports that the other nodes do not receive it. */
    @Test
    @Tag("slow")
    void aServerThatIsInterruptedReportsThatNoCoordinatorAnswers() throws InterruptedException {
        CountDownLatch training = new CountDownLatch(1);
        cluster.train(worker -> ChildNode.train(worker, training::countDown));
        assertTrue(training.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
        leader.hasMajority = false;
        cluster.thread("server 0").interrupt();
        ClusterException closed = cluster.awaitFailure("server 0");
        assertEquals(Failure.CLOSED, closed.failure(), closed.getMessage());
        assertEquals(0, closed.getSuppressed().length);
        assertTrue(
                cluster.errors().stream()
                        .anyMatch(error -> error.getMessage().startsWith("server 0 has failed, and ")
                                && error.getMessage().contains(" has not answered its report within 1000 ms")),
                cluster.errors() + "");
        awaitRelease("server 0");
    }
}
