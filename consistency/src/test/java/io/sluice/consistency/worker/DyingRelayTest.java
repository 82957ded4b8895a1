package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The effects of a relay's death on workers that are not its descendants, and on its adopters afterwards. */
@Timeout(240)
class DyingRelayTest {
    /** Number of elements, so small that one log holds all versions broadcast until a death is known. */
    private static final int ELEMENTS = 100;

    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Map<Integer, NodeClock> clocks = new ConcurrentHashMap<>();
    private final TestDriver driver = TestDriver.launch();

    @AfterEach
    void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms(String tree) {
        return TestCluster.terms()
                .transport(TransportKind.UDP)
                .compressor("none")
                .servers(1)
                .sliceElements(64)
                .tree(tree)
                .onDeath(DeathPolicy.SHRINK)
                .heartbeatMs(100)
                .livenessMs(1_500);
    }

    private TestCluster start(ClusterSettings settings) {
        return TestCluster.of(driver, settings)
                .adjustWorkers(worker -> worker.clock(clocks.computeIfAbsent(worker.index(), index -> new NodeClock())))
                .serve();
    }

    private static Table begin(Worker worker) {
        Table table = worker.table("w", 1, ELEMENTS);
        worker.start(Initialiser.ZEROS);
        return table;
    }

    private static void train(Worker worker, Table table, long clocks) {
        float[] update = new float[ELEMENTS];
        Arrays.fill(update, 1);
        while (worker.completed() < clocks) {
            table.sync();
            table.update(update);
            worker.clock();
        }
    }

    /** Releases the stopped threads, which learn that they are lost, and end. */
    private void resume() {
        clocks.values().forEach(NodeClock::resume);
    }

    /** Stops all threads of a node for good, this one among them, until the test is over. */
    private void die(Worker worker) {
        clocks.get(worker.index()).stop();
        clocks.get(worker.index()).nanoTime();
    }

    private static long sum(TestDriver of, Predicate<CounterReading.Entry> wanted) {
        try (DriverView view = DriverView.open(of.directory())) {
            return view.read().entries().stream()
                    .filter(wanted)
                    .mapToLong(CounterReading.Entry::value)
                    .sum();
        }
    }

    /** Bytes in the log that the workers of a host read. */
    private static long shared(TestDriver of) {
        return sum(
                of,
                entry -> entry.type() == CounterType.LINK_BYTES_SENT
                        && entry.peer().equals("the workers of this host"));
    }

    /**
     * The server's first child has two descendants, and dies. Before and after the coordinator loses it, the second
     * child and its descendants receive version after version and miss none.
     */
    @Test
    @Tag("slow")
    void otherSubtreesContinue() throws Exception {
        ClusterSettings settings =
                terms("shared:2").workers(6).consistency("tap").build();
        int dead = 0;
        List<Integer> others = List.of(1, 4, 5);
        Map<Integer, Long> meanwhile = new ConcurrentHashMap<>();
        Map<Integer, Long> asked = new ConcurrentHashMap<>();
        try (TestCluster cluster = start(settings);
                AutoCloseable _ = this::resume) {
            cluster.train(worker -> {
                Table table = begin(worker);
                train(worker, table, 20);
                if (dead == worker.index()) {
                    die(worker);
                    return;
                }
                Deadline.await(
                        "worker " + dead + " stalls", () -> clocks.get(dead).isStopped());
                long before = table.version();
                while (!worker.isLost(dead)) {
                    train(worker, table, worker.completed() + 1);
                    LockSupport.parkNanos(PAUSE_NS);
                }
                meanwhile.put(worker.index(), table.version() - before);
                train(worker, table, 1_000);
                worker.drain();
                float sum = table.get(0, 0); // some pushes of the dead worker may not have arrived
                assertTrue(sum >= 5_000 && sum <= 5_020, () -> "the sum of all updates is " + sum);
                asked.put(
                        worker.index(),
                        sum(
                                driver,
                                entry -> entry.type() == CounterType.NODE_RESENDS_ASKED
                                        && entry.node().equals("worker " + worker.index())));
            });
            for (int worker = 1; worker < settings.workers(); worker++) {
                assertNull(cluster.awaitEnd("worker " + worker), "worker " + worker);
            }
        }
        for (int worker : others) {
            assertTrue(meanwhile.get(worker) > 10, () -> "versions before the death was known: " + meanwhile);
            assertEquals(0, asked.get(worker), () -> "requests for what was missed: " + asked);
        }
        assertTrue(asked.get(2) + asked.get(3) > 0, () -> "no child of the dead relay missed a frame: " + asked);
    }

    /**
     * The last worker of a chain has left when its parent dies, and is still a child by the plan. The first worker
     * adopts it, has more to send, and must not wait for a worker that reads nothing.
     */
    @Test
    @Tag("slow")
    void noNodeWaitsForAnAdoptedWorkerThatHasLeft() throws Exception {
        ClusterSettings settings =
                terms("chain").workers(3).consistency("ssp:3").build();
        int heir = 0;
        int dead = 1;
        int gone = 2;
        try (TestCluster cluster = start(settings);
                AutoCloseable _ = this::resume) {
            cluster.train(worker -> {
                Table table = begin(worker);
                if (gone == worker.index()) {
                    train(worker, table, 8); // leaves without waiting for versions 6 to 8
                    return;
                }
                train(worker, table, 5);
                cluster.awaitEnd("worker " + gone);
                if (dead == worker.index()) {
                    die(worker);
                    return;
                }
                Deadline.await("worker " + dead + " is lost", () -> worker.isLost(dead));
                train(worker, table, 8);
                worker.drain();
                assertTrue(table.get(0, 0) >= 8 + 4 + 8, () -> "the sum of all updates is " + table.get(0, 0));
            });
            assertNull(cluster.awaitEnd("worker " + gone));
            assertNull(cluster.awaitEnd("worker " + heir), "it waits for a worker that it cannot reach");
            assertNull(cluster.awaitEnd("server 0"));
        }
    }

    /** Three workers share one copy on their host. One dies, and each byte then counts for one other worker. */
    @Test
    @Tag("slow")
    void relayedBytesDoNotCountADeadWorker() throws Exception {
        ClusterSettings settings = terms("flat")
                .transport(TransportKind.IPC)
                .workers(5)
                .consistency("bsp")
                .build();
        int relay = 2;
        int dead = 3;
        try (TestDriver other = TestDriver.launch();
                TestCluster cluster = start(settings);
                AutoCloseable _ = this::resume) {
            cluster.adjustWorkers(worker -> {
                if (worker.index() >= relay) {
                    worker.aeronDirectory(other.directory()).channels(other.lengths());
                }
            });
            cluster.train(worker -> {
                Table table = begin(worker);
                train(worker, table, 5);
                worker.drain();
                if (relay == worker.index()) {
                    Deadline.await("all relayed bytes are counted", () -> 2 * shared(other) == worker.bytesRelayed());
                }
                if (dead == worker.index()) {
                    die(worker);
                    return;
                }
                Deadline.await("worker " + dead + " is lost", () -> worker.isLost(dead));
                long before = worker.bytesRelayed();
                train(worker, table, 10);
                worker.drain();
                if (relay == worker.index()) {
                    Deadline.await(
                            "all relayed bytes are counted", () -> before / 2 + shared(other) == worker.bytesRelayed());
                }
            });
            for (int worker : List.of(relay, 0, 1, 4)) {
                assertNull(cluster.awaitEnd("worker " + worker), "worker " + worker);
            }
        }
    }
}
