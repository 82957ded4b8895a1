package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.terms.DeathPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call by a thread other than the owner of a worker or server throws, and changes neither node nor cluster. */
@Timeout(240)
class ThreadConfinementTest {
    private static final int CLOCKS = 6;
    private static final int ELEMENTS = 128;

    private static TestDriver driver;

    private final Map<Integer, Float> sums = new ConcurrentHashMap<>();

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** The action in the middle of each iteration. */
    private interface Interlude {
        void between(Worker worker, Table table, float[] update);
    }

    private void train(Worker worker, Interlude interlude) {
        Table table = worker.table("w", 8, ELEMENTS / 8);
        worker.start(Initialiser.ZEROS);
        float[] update = new float[ELEMENTS];
        update[ELEMENTS - 1] = 1;
        while (worker.completed() < CLOCKS) {
            table.sync();
            interlude.between(worker, table, update);
            table.update(update);
            worker.clock();
        }
        worker.drain();
        sums.put(worker.index(), table.get(7, ELEMENTS / 8 - 1));
    }

    private static String refusal(Runnable call) {
        return assertThrows(WrongThreadException.class, call::run).getMessage();
    }

    @Test
    void callsOfAnotherThreadThrowAndChangeNothing() {
        List<String> refusals = new ArrayList<>();
        try (TestCluster cluster =
                TestCluster.start(driver, TestCluster.terms().workers(2).build())) {
            cluster.train(0, worker -> train(worker, (_, _, _) -> {}));
            cluster.train(
                    1,
                    worker -> train(worker, (own, table, update) -> {
                        refusals.clear();
                        Thread outsider =
                                Thread.ofPlatform().name("outsider").start(() -> callAll(own, table, update, refusals));
                        Deadline.await("the outsider ends", () -> !outsider.isAlive());
                    }));
            cluster.awaitSuccess();
        }
        assertEquals(
                Stream.of(
                                "table",
                                "sync",
                                "update",
                                "accumulate",
                                "inc",
                                "incRow",
                                "updateRows",
                                "evaluationCopy",
                                "clock",
                                "drain",
                                "work",
                                "leave")
                        .map(call -> "worker 1 belongs to the thread test worker 1, and the thread outsider calls "
                                + call + "(): only the owning thread may use a worker and its tables")
                        .toList(),
                refusals.subList(0, 12));
        assertEquals(13, refusals.size());
        assertEquals(Map.of(0, 2f * CLOCKS, 1, 2f * CLOCKS), sums);
    }

    private static void callAll(Worker worker, Table table, float[] update, List<String> refusals) {
        List<Runnable> calls = List.of(
                () -> worker.table("other", 1, 1),
                table::sync,
                () -> table.update(update),
                () -> table.accumulate(update),
                () -> table.inc(0, 0, 1),
                () -> table.incRow(0, new float[ELEMENTS / 8]),
                () -> table.updateRows(new int[] {0}, new float[ELEMENTS / 8]),
                worker::evaluationCopy,
                worker::clock,
                worker::drain,
                worker::work,
                worker::leave,
                worker::close);
        calls.forEach(call -> refusals.add(refusal(call)));
        worker.isLost(0); // may be asked by any thread
    }

    @Test
    void onlyItsOwnerMayRunAndCloseAServer() {
        try (TestCluster cluster =
                TestCluster.start(driver, TestCluster.terms().workers(1).build())) {
            CountDownLatch called = new CountDownLatch(1);
            cluster.train(worker ->
                    train(worker, (_, _, _) -> Deadline.await("the server was called", () -> 0 == called.getCount())));
            Server server = cluster.server(1);
            String sentence = "server 1 belongs to the thread test server 1, and the thread "
                    + Thread.currentThread().getName() + " calls %s(): only the thread that launched"
                    + " a server may use it";
            assertEquals(sentence.formatted("run"), refusal(server::run));
            assertEquals(sentence.formatted("close"), refusal(server::close));
            called.countDown();
            cluster.awaitSuccess();
        }
    }

    /** A program that ends closes the nodes of its threads. */
    @Test
    void anotherThreadMayCloseAWorkerOnceItsOwnerHasEnded() {
        Worker[] orphan = {null};
        try (TestCluster cluster = TestCluster.start(
                driver,
                TestCluster.terms().onDeath(DeathPolicy.SHRINK).workers(2).build())) {
            Thread owner = Thread.ofPlatform().start(() -> {
                orphan[0] = Worker.connect(cluster.context(new WorkerContext().index(1)));
                orphan[0].table("w", 8, ELEMENTS / 8);
                orphan[0].start(Initialiser.ZEROS);
            });
            cluster.train(0, worker -> train(worker, (_, _, _) -> {}));
            Deadline.await("the owner ends", () -> !owner.isAlive());
            orphan[0].close();
            assertNull(cluster.awaitEnd("worker 0"));
        }
    }
}
