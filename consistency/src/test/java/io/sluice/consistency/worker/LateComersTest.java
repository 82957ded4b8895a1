package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.StoppableClock;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterType;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker that joins when others have completed their training, or whose first clock would be after their end, is
 * refused at once.
 */
@Timeout(240)
class LateComersTest {
    private static final List<Shape> SHAPES = List.of(new Shape("w", 13, 31), new Shape("u", 5, 3));

    /**
     * Time in which a worker with open links asks and the others are polled; with less, the test would check nothing.
     */
    private static final long POLLED_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private static TestDriver driver;

    private final Updates updates = new Updates(4, SHAPES);

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms(int workers, int places) {
        return TestCluster.terms().workers(workers).places(places).transport(TransportKind.UDP);
    }

    private static void requireRefusal(ClusterException failure, String words) {
        assertEquals(Failure.REFUSED, failure.failure(), failure.getMessage());
        assertTrue(failure.getMessage().contains(words), failure.getMessage());
    }

    @Test
    void aNewcomerAfterTheEndOfOthersIsRefused() throws Exception {
        CountDownLatch told = new CountDownLatch(2);
        CountDownLatch hasCome = new CountDownLatch(1);
        CountDownLatch isDone = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.start(driver, terms(2, 4).build())) {
            cluster.train(worker -> {
                List<Table> tables = updates.start(worker);
                Deadline.await(hasCome);
                updates.step(worker, tables);
                worker.drain();
                if (0 == worker.index()) {
                    Deadline.await(told);
                }
            });
            cluster.server(0);
            cluster.train("slow", 3, worker -> {
                hasCome.countDown();
                Deadline.await(isDone);
                updates.start(worker);
            });
            assertNull(cluster.awaitEnd("worker 1"));
            isDone.countDown();
            requireRefusal(cluster.awaitFailure("slow"), "joined too late: the job is ending");
            told.countDown();
            cluster.train("late", 2, updates::start);
            requireRefusal(cluster.awaitFailure("late"), "the job is ending: a worker has completed all its work");
            told.countDown();
            for (String name : List.of("worker 0", "server 0", "server 1")) {
                assertNull(cluster.awaitEnd(name), name);
            }
        }
    }

    /** A worker whose answer is awaited is stopped while the others complete their training. */
    @Test
    void aNewcomerUnderPollWhenOthersEndIsRefused() throws Exception {
        StoppableClock stopped = new StoppableClock();
        CountDownLatch hasPushed = new CountDownLatch(1);
        CountDownLatch resume = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (TestCluster cluster =
                TestCluster.of(driver, terms(2, 3).livenessMs(20_000).build())) {
            cluster.adjustWorkers(context -> context.clock(1 == context.index() ? stopped : context.clock()))
                    .serve();
            cluster.train(worker -> {
                List<Table> tables = updates.start(worker);
                updates.step(worker, tables);
                if (1 == worker.index()) {
                    hasPushed.countDown();
                    Deadline.await(end);
                } else {
                    Deadline.await(resume);
                    worker.drain();
                }
            });
            Deadline.await(hasPushed);
            stopped.stop();
            cluster.train("late", 2, updates::start);
            Deadline.await("it has opened its links", () -> isOpen("worker 2 to server 1"));
            LockSupport.parkNanos(POLLED_NS);
            resume.countDown();
            assertNull(cluster.awaitEnd("worker 0"));
            stopped.resume();
            requireRefusal(cluster.awaitFailure("late"), "joined too late: the job is ending");
            end.countDown();
            for (String name : List.of("worker 1", "server 0", "server 1")) {
                assertNull(cluster.awaitEnd(name), name);
            }
        }
    }

    /** The newcomer's agreed first clock is later than the last clock of every other worker. */
    @Test
    void aNewcomerWithAFirstClockAfterTheEndIsRefused() throws Exception {
        CountDownLatch isAhead = new CountDownLatch(1);
        CountDownLatch isAgreed = new CountDownLatch(1);
        CountDownLatch isTold = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.start(driver, terms(2, 3).build())) {
            cluster.train(worker -> {
                List<Table> tables = updates.start(worker);
                updates.step(worker, tables);
                if (0 == worker.index()) {
                    Deadline.await(isAgreed);
                    updates.step(worker, tables);
                } else {
                    updates.step(worker, tables);
                    isAhead.countDown();
                    Deadline.await(isTold);
                }
            });
            Deadline.await(isAhead);
            cluster.train("late", 2, updates::start);
            Deadline.await(
                    "it is agreed from which clock on it takes part",
                    () -> cluster.errors().stream()
                            .anyMatch(error -> error.getMessage().contains("worker 2 takes part from clock 4")));
            isAgreed.countDown();
            ClusterException failure = cluster.awaitFailure("late");
            assertEquals(Failure.PEER_LEFT, failure.failure());
            assertTrue(
                    failure.getMessage().contains("joined too late: its first clock was to be 4, and worker 0"),
                    failure.getMessage());
            isTold.countDown();
            for (String name : List.of("worker 0", "worker 1", "server 0", "server 1")) {
                assertNull(cluster.awaitEnd(name), name);
            }
        }
    }

    private static boolean isOpen(String link) {
        try (DriverView view = DriverView.open(driver.directory())) {
            return view.read().entries().stream()
                    .anyMatch(entry -> CounterType.LINK_CONNECTED == entry.type()
                            && entry.key().name().equals(link));
        }
    }
}
