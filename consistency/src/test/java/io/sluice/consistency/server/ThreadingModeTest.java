package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.ChildNode;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers behave alike in each threading mode, and have only the threads that their mode states. */
@Timeout(240)
@Isolated("counts the threads of this process")
class ThreadingModeTest {
    private static final int SERVERS = 2;
    private static final int WORKERS = 2;
    private static final int ELEMENTS = 500;
    private static final int CLOCKS = 12;
    private static final List<String> AGENTS =
            List.of("sluice-server", "sluice-membership", "sluice-coordinator", "sluice-sender", "aeron-client");

    private final CountDownLatch training = new CountDownLatch(WORKERS);
    private TestDriver driver;

    @BeforeEach
    void launch() {
        assertEquals(0, agents(), "threads of another test");
        driver = TestDriver.launch();
    }

    /** No test leaves a thread of its cluster behind. */
    @AfterEach
    void close() {
        driver.close();
        Deadline.await("threads of agents end", () -> 0 == agents());
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .filter(thread -> thread.getName().startsWith(name))
                .count();
    }

    private static long agents() {
        return AGENTS.stream().mapToLong(ThreadingModeTest::threads).sum();
    }

    private static ClusterSettings terms(int livenessMs) {
        return TestCluster.terms()
                .servers(SERVERS)
                .workers(WORKERS)
                .heartbeatMs(100)
                .livenessMs(livenessMs)
                .build();
    }

    private TestCluster start(ThreadingMode mode, int livenessMs) {
        return TestCluster.of(driver, terms(livenessMs))
                .adjustServers(context -> context.threading(mode))
                .serve();
    }

    private void trainForEver(TestCluster cluster) throws InterruptedException {
        cluster.train(worker -> ChildNode.train(worker, training::countDown));
        assertTrue(training.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void everyModeServesWithItsOwnThreadsOnly(ThreadingMode mode) {
        CyclicBarrier counted = new CyclicBarrier(WORKERS, () -> {
            boolean dedicated = ThreadingMode.DEDICATED == mode;
            boolean invoked = ThreadingMode.INVOKER == mode;
            assertEquals(dedicated ? 1 : 0, threads("sluice-coordinator"));
            assertEquals(WORKERS + (dedicated ? SERVERS : 0), threads("sluice-membership"));
            assertEquals(WORKERS + (invoked ? 0 : SERVERS), threads("aeron-client"));
        });
        try (TestCluster cluster = start(mode, 5_000)) {
            cluster.train(worker -> {
                Table table = worker.table("w", 1, ELEMENTS);
                worker.start(Initialiser.ZEROS);
                float[] update = new float[ELEMENTS];
                for (int clock = 0; clock < CLOCKS; clock++) {
                    table.sync();
                    update[clock] = 1 + worker.index();
                    table.update(update);
                    worker.clock();
                }
                counted.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS);
                worker.drain();
                for (int clock = 0; clock < CLOCKS; clock++) {
                    assertEquals(3 * (CLOCKS - clock), table.get(0, clock));
                }
            });
            cluster.awaitSuccess();
            assertEquals(SERVERS, cluster.reports().size());
            assertEquals(List.of(), cluster.errors());
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource(names = {"INVOKER", "SHARED"}) // dedicated threads are the default, which SurvivorsTest covers
    void allNodesLearnOfTheDeathOfAWorker(ThreadingMode mode) throws Exception {
        try (TestCluster cluster = start(mode, 1_000);
                ChildNode child = ChildNode.worker(1, cluster.address(), driver.directory())) {
            cluster.train(0, worker -> ChildNode.train(worker, () -> {}));
            child.awaitReady();
            child.kill();
            for (String node : List.of("server 0", "server 1", "worker 0")) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_LOST, failure.failure(), node + ": " + failure.getMessage());
                assertTrue(failure.getMessage().startsWith("worker 1 has been silent"), failure.getMessage());
            }
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource
    void theLossOfTheDriverIsReportedAsSuch(ThreadingMode mode) throws Exception {
        try (TestCluster cluster = start(mode, 30_000)) {
            trainForEver(cluster);
            driver.close();
            for (int server = 0; server < SERVERS; server++) {
                ClusterException failure = cluster.awaitFailure("server " + server);
                assertEquals(Failure.PEER_LOST, failure.failure(), failure.getMessage());
                assertTrue(failure.getMessage().contains("media driver"), failure.getMessage());
            }
        }
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"INVOKER, 0", "INVOKER, 1", "SHARED, 0", "SHARED, 1", "DEDICATED, 0", "DEDICATED, 1"})
    void anInterruptedServerReportsItsEnd(ThreadingMode mode, int server) throws Exception {
        int livenessMs = 15_000; // a message reports the end to nodes long before the liveness time is over
        try (TestCluster cluster = start(mode, livenessMs)) {
            trainForEver(cluster);
            long startNs = System.nanoTime();
            cluster.thread("server " + server).interrupt();
            assertEquals(
                    Failure.CLOSED, cluster.awaitFailure("server " + server).failure());
            for (String node : List.of("worker 0", "worker 1", "server " + (1 - server))) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_FAILED, failure.failure(), node + ": " + failure.getMessage());
                long afterMs = TimeUnit.NANOSECONDS.toMillis(cluster.endedNs(node) - startNs);
                assertTrue(afterMs < livenessMs * 2 / 3, node + " took " + afterMs + " ms");
            }
        }
    }

    /** The interrupts arrive while an agent of the server works, and repeatedly while it leaves. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"INVOKER, 0", "INVOKER, 1", "SHARED, 0", "SHARED, 1", "DEDICATED, 0", "DEDICATED, 1"})
    void aServerInterruptedWithinACycleReportsItsEnd(ThreadingMode mode, int server) throws Exception {
        AtomicReference<Thread> interrupted = new AtomicReference<>();
        TestCluster cluster = TestCluster.of(driver, terms(15_000)).adjustServers(context -> {
            context.threading(mode);
            if (server == context.index()) {
                context.clock(() -> {
                    if (Thread.currentThread() == interrupted.get()) {
                        Thread.currentThread().interrupt();
                    }
                    return SystemNanoClock.INSTANCE.nanoTime();
                });
            }
        });
        try (cluster) {
            cluster.serve();
            trainForEver(cluster);
            interrupted.set(cluster.thread("server " + server));
            assertEquals(
                    Failure.CLOSED, cluster.awaitFailure("server " + server).failure());
            for (String node : List.of("worker 0", "worker 1", "server " + (1 - server))) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_FAILED, failure.failure(), node + ": " + failure.getMessage());
            }
        }
    }

    /** The fault may occur in any of the server's agents. */
    @ParameterizedTest
    @EnumSource
    void aFaultOfAnAgentEndsTheNodeAndAllNodesLearnOfIt(ThreadingMode mode) throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        TestCluster cluster = TestCluster.of(driver, terms(15_000)).adjustServers(context -> {
            context.threading(mode);
            if (1 == context.index()) {
                context.clock(() -> {
                    if (broken.compareAndSet(true, false)) {
                        throw new IllegalStateException("a broken clock");
                    }
                    return SystemNanoClock.INSTANCE.nanoTime();
                });
            }
        });
        try (cluster) {
            cluster.serve();
            trainForEver(cluster);
            broken.set(true);
            for (String node : List.of("server 0", "server 1", "worker 0", "worker 1")) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_FAILED, failure.failure(), node + ": " + failure.getMessage());
                assertTrue(failure.getMessage().contains("a broken clock"), node + ": " + failure.getMessage());
            }
        }
    }

    /** A server is lost if its program stops calling {@code doWork}, as the Javadoc states. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource(names = "INVOKER")
    void aServerThatIsNotInvokedIsLost(ThreadingMode mode) throws Exception {
        TestCluster cluster = TestCluster.of(driver, terms(1_000));
        ServerContext context = cluster.context(new ServerContext().index(1)).threading(mode);
        AtomicBoolean stopped = new AtomicBoolean();
        Thread program = Thread.ofPlatform().daemon().start(() -> {
            try (Server server = Server.launch(context)) {
                while (!stopped.get()) {
                    server.doWork();
                }
                Deadline.await("the other nodes report its loss", () -> isOver(cluster));
                assertThrows(ClusterException.class, () -> untilItFails(server));
            }
        });
        try (cluster) {
            cluster.serve(0);
            trainForEver(cluster);
            stopped.set(true);
            for (String node : List.of("server 0", "worker 0", "worker 1")) {
                ClusterException failure = cluster.awaitFailure(node);
                assertEquals(Failure.PEER_LOST, failure.failure(), node + ": " + failure.getMessage());
                assertTrue(failure.getMessage().startsWith("server 1 has been silent"), failure.getMessage());
            }
            program.join(Deadline.PATIENCE_MS);
            assertTrue(!program.isAlive(), "the program must have seen the failure and closed its server");
        }
    }

    private static boolean isOver(TestCluster cluster) {
        return !cluster.thread("server 0").isAlive();
    }

    private static void untilItFails(Server server) {
        Deadline.await("the server receives the report that it is lost", () -> false, server::doWork);
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheCallOfTheModeIsAllowed(ThreadingMode mode) {
        ClusterSettings settings = TestCluster.terms().servers(1).workers(1).build();
        TestCluster cluster = TestCluster.of(driver, settings);
        ServerContext context =
                cluster.context(new ServerContext()).threading(mode).coordinate(settings);
        try (cluster) {
            cluster.train(ThreadingModeTest::trainOnce);
            try (Server server = Server.launch(context)) {
                if (ThreadingMode.INVOKER == mode) {
                    assertThrows(IllegalStateException.class, server::run);
                    Deadline.await("the worker leaves", server::isOver, server::doWork);
                } else {
                    assertThrows(IllegalStateException.class, server::doWork);
                    server.run();
                }
            }
            cluster.awaitSuccess();
        }
    }

    private static void trainOnce(Worker worker) {
        Table table = worker.table("w", 4, 4);
        worker.start(Initialiser.ZEROS);
        table.sync();
        worker.clock();
        worker.drain();
    }
}
