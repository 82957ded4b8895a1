package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.filter.spi.NetworkFeedback;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server's thread stops in the middle of a round. Meanwhile a node joins, and the coordinator sets its first clock.
 * The server then begins that clock before it processes the join. Frames that it sends to the new node must not count
 * for the clock before.
 */
@Timeout(240)
class StalledServerTest {
    private static final int STALL_CLOCK = 5;
    private static final int END = 12;
    private static final long PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * Time for the coordinator's agreement to reach the server before it resumes; without it the test checks nothing.
     */
    private static final long AGREEMENT_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Pause between two tables of a clock, in which links connect. */
    private static final long BETWEEN_NS = TimeUnit.MILLISECONDS.toNanos(300);

    /**
     * Tables of one slice each: the server can end one round and begin the next at any of them. The first and largest
     * moves to a server that joins.
     */
    private static final List<Shape> SHAPES = Stream.concat(
                    Stream.of(new Shape("w", 1, 60)), IntStream.range(0, 12).mapToObj(i -> new Shape("u" + i, 1, 15)))
            .toList();

    private static TestDriver driver;

    private final Updates updates = new Updates(8, SHAPES);
    private final Updates firstTable = new Updates(8, SHAPES.subList(0, 1));
    private final Stall stall = new Stall();

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** Stalls the server, whose filter reads the network feedback in the middle of a round. */
    private static final class Stall implements NetworkFeedback {
        private final CountDownLatch stalled = new CountDownLatch(1);
        private final CountDownLatch resume = new CountDownLatch(1);
        private volatile boolean isDue;

        @Override
        public boolean isSufficient() {
            if (isDue) {
                stalled.countDown();
                await(resume);
            }
            return true;
        }

        @Override
        public long bytesPerClock() {
            return NO_BUDGET;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private TestCluster begin() {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .serverPlaces(2)
                .workers(1)
                .places(2)
                .filter("adaptive:0.001,0.001")
                .transport(TransportKind.UDP)
                .build();
        return TestCluster.of(driver, settings)
                .adjustWorkers(context -> context.sending(ThreadingMode.INVOKER))
                .adjustServers(context -> context.feedback(0 == context.index() ? stall : context.feedback()))
                .serve();
    }

    /** Trains, and runs an action in the clock in which the server stalls at the first table. */
    private void train(Worker worker, Updates with, Runnable duringStall, BooleanSupplier isAgreed) {
        List<Table> tables = with.declare(worker);
        worker.start(with::initial);
        while (worker.completed() < END) {
            long round = worker.completed() + 1;
            tables.forEach(Table::sync);
            stall.isDue |= STALL_CLOCK == round;
            for (Table table : tables) {
                table.update(with.of(table.spec(), worker.index(), round));
                if (STALL_CLOCK == round) {
                    if (table == tables.getFirst()) {
                        await(stall.stalled);
                        duringStall.run();
                    }
                    work(worker, isAgreed);
                }
            }
            if (STALL_CLOCK == round) {
                Deadline.await("the change is agreed on", isAgreed);
                LockSupport.parkNanos(AGREEMENT_NS);
                stall.resume.countDown();
            }
            worker.clock();
        }
        worker.drain();
    }

    /** Calls the worker until the change is agreed: in this mode it opens and connects links only in such calls. */
    private static void work(Worker worker, BooleanSupplier isAgreed) {
        long startNs = System.nanoTime();
        while (!isAgreed.getAsBoolean() && System.nanoTime() - startNs < BETWEEN_NS) {
            worker.work();
            LockSupport.parkNanos(PARK_NS);
        }
    }

    /** Whether the coordinator has set a change for the clock after the stall. */
    private static BooleanSupplier isAgreed(TestCluster cluster, String what) {
        String note = what + " from clock " + (STALL_CLOCK + 1);
        return () ->
                cluster.errors().stream().anyMatch(error -> error.getMessage().startsWith(note));
    }

    @Test
    void slicesHandedToANewServerAreSent() {
        try (TestCluster cluster = begin()) {
            BooleanSupplier isAgreed = isAgreed(cluster, "server 1 owns slices");
            cluster.train("worker 0", 0, worker -> train(worker, updates, () -> cluster.add("newcomer"), isAgreed));
            cluster.awaitSuccess();
        }
    }

    @Test
    void aNewWorkerReceivesBroadcasts() {
        try (TestCluster cluster = begin()) {
            BooleanSupplier isAgreed = isAgreed(cluster, "worker 1 takes part");
            Runnable join = () -> cluster.train("newcomer", 1, other -> train(other, firstTable, () -> {}, isAgreed));
            cluster.train("worker 0", 0, worker -> train(worker, firstTable, join, isAgreed));
            cluster.awaitSuccess();
        }
    }
}
