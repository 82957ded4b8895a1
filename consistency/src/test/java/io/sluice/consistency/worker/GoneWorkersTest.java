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
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TransportKind;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker has left, and servers have not completed its last clock yet: the other worker may be lost, and others may
 * join.
 */
@Timeout(240)
class GoneWorkersTest {
    private static final List<Shape> SHAPES = List.of(new Shape("w", 13, 31), new Shape("u", 5, 3));

    private static TestDriver driver;

    private final Updates updates = new Updates(4, SHAPES);
    private final StoppableClock clock = new StoppableClock();
    private final AtomicLong pushedFirst = new AtomicLong();
    private final AtomicBoolean isGone = new AtomicBoolean();
    private final CountDownLatch resume = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms() {
        return TestCluster.terms().workers(2).places(2).transport(TransportKind.UDP);
    }

    private static ClusterSettingsBuilder mortal() {
        return terms().heartbeatMs(50).livenessMs(600).onDeath(DeathPolicy.SHRINK);
    }

    /** Trains until its leave is decided, always one push ahead of the other worker. */
    private void trainUntilGone(Worker worker) {
        List<Table> tables = updates.start(worker);
        while (worker.takesPart()) {
            updates.step(worker, tables);
            if (2 == worker.completed()) {
                worker.requestLeave();
            }
            isGone.set(!worker.takesPart());
            pushedFirst.set(worker.completed());
        }
    }

    /** Trains until the other has left, then stops without the push that servers wait for. */
    private void trainAndDie(Worker worker) throws InterruptedException {
        List<Table> tables = updates.start(worker);
        while (!awaitOther(worker)) {
            updates.step(worker, tables);
        }
        Deadline.await(resume);
        clock.stop();
        never.await();
    }

    /** Whether the other has left. */
    private boolean awaitOther(Worker worker) {
        long round = worker.completed() + 1;
        Deadline.await("the other has pushed", () -> pushedFirst.get() >= round || isGone.get());
        return isGone.get();
    }

    private TestCluster mortalCluster() {
        TestCluster cluster = TestCluster.of(driver, mortal().build());
        cluster.adjustWorkers(context -> {
            if (0 == context.index()) {
                context.clock(clock);
            }
        });
        cluster.serve();
        cluster.train("stays", 0, this::trainAndDie);
        return cluster;
    }

    private static void requireLost(TestCluster cluster) {
        for (String name : List.of("server 0", "server 1")) {
            ClusterException failure = cluster.awaitFailure(name);
            assertEquals(Failure.PEER_LOST, failure.failure(), failure.getMessage());
            assertTrue(failure.getMessage().contains("no worker is left"), failure.getMessage());
        }
    }

    @Test
    @Tag("slow")
    void theJobFailsWhenTheLastIsLostAfterAnotherHasLeft() {
        try (TestCluster cluster = mortalCluster()) {
            cluster.train("leaver", 1, this::trainUntilGone);
            assertNull(cluster.awaitEnd("leaver"));
            resume.countDown();
            requireLost(cluster);
            clock.resume();
        }
    }

    @Test
    @Tag("slow")
    void theJobFailsWhenTheLastIsLostBeforeAnotherLeaves() {
        try (TestCluster cluster = mortalCluster()) {
            cluster.train("leaver", 1, worker -> {
                trainUntilGone(worker);
                resume.countDown();
                Deadline.await("the other is lost", () -> worker.isLost(0));
            });
            assertNull(cluster.awaitEnd("leaver"));
            requireLost(cluster);
            clock.resume();
        }
    }
}
