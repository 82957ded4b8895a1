package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.messaging.driver.ChannelSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parents of newcomers, and of the children of a node that leaves or dies (decision 6). */
@Timeout(240)
class ElasticTreesTest {
    private static final int ELEMENTS = 1_000;
    private static final int LAST_OF_THE_DEAD = 10;
    private static final Predicate<Worker> STAYS = worker -> false;

    private final TestDriver driver = TestDriver.launch();
    private final AtomicLong furthest = new AtomicLong();
    private final Map<String, List<WorkerSet>> workerSets = new ConcurrentHashMap<>();
    private final Map<String, float[]> replicas = new ConcurrentHashMap<>();
    private final Map<String, Long> relayed = new ConcurrentHashMap<>();

    @AfterEach
    void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms(String tree, int workers, int places) {
        return TestCluster.terms()
                .transport(TransportKind.UDP)
                .compressor("none")
                .servers(1)
                .workers(workers)
                .places(places)
                .tree(tree)
                .livenessMs(20_000);
    }

    private void step(Worker worker, Table table) {
        float[] update = new float[ELEMENTS];
        Arrays.fill(update, 1);
        table.sync();
        table.update(update);
        worker.clock();
        furthest.accumulateAndGet(worker.completed(), Math::max);
    }

    /** Trains for some clocks after the last of some known changes, or until the worker no longer takes part. */
    private void train(String name, Worker worker, int changes, int more, Predicate<Worker> goes) {
        long[] end = {Long.MAX_VALUE};
        List<WorkerSet> told = new ArrayList<>();
        worker.onWorkerSet(all -> {
            told.clear();
            told.addAll(all);
            end[0] = all.size() == changes + 1 ? all.getLast().since() + more : end[0];
        });
        Table table = worker.table("w", 1, ELEMENTS);
        worker.start(Initialiser.ZEROS);
        boolean asked = false;
        while (worker.completed() < end[0] && worker.takesPart()) {
            step(worker, table);
            if (!asked && goes.test(worker)) {
                worker.requestLeave();
                asked = true;
            }
        }
        worker.drain();
        workerSets.put(name, List.copyOf(told));
        replicas.put(name, Updates.copy(table));
        relayed.put(name, worker.bytesRelayed());
    }

    private void come(TestCluster cluster, String name, long clock, int changes, int more) {
        Deadline.await("a worker has reached clock " + clock, () -> furthest.get() >= clock);
        cluster.train(name, -1, worker -> train(name, worker, changes, more, STAYS));
    }

    /** Each worker pushes an update of ones. */
    private static float[] sum(List<WorkerSet> all, long last) {
        float sum = 0;
        for (long clock = 1; clock <= last; clock++) {
            long now = clock;
            sum += all.stream()
                    .filter(workerSet -> workerSet.since() <= now)
                    .toList()
                    .getLast()
                    .size();
        }
        float[] sums = new float[ELEMENTS];
        Arrays.fill(sums, sum);
        return sums;
    }

    /**
     * The first worker of a chain of two sends to the second. Of two newcomers the server takes one, because it has as
     * few children as the first worker and is nearer; then it has two children, so the first worker takes the other. No
     * node has to request frames.
     */
    @Test
    void newcomersGetAParent() {
        int more = 40;
        ClusterSettings settings = terms("chain", 2, 4).build();
        try (TestCluster cluster = TestCluster.of(driver, settings).serve()) {
            for (String name : List.of("worker 0", "worker 1")) {
                int index = "worker 0".equals(name) ? 0 : 1;
                cluster.train(name, index, worker -> train(name, worker, 2, more, STAYS));
            }
            come(cluster, "third", 5, 2, more);
            come(cluster, "fourth", 10, 2, more);
            cluster.awaitSuccess();
            List<WorkerSet> all = workerSets.get("worker 0");
            long last = all.getLast().since() + more;
            replicas.forEach((name, replica) -> assertArrayEquals(sum(all, last), replica, name));
            assertEquals(4, replicas.size());
            ServerReport report = cluster.reports().getFirst();
            assertEquals(0, report.framesResent(), "all came by trees");
            assertEquals(0, relayed.get("third") + relayed.get("fourth"), "workers 2 and 3 are leaves");
            long two = all.get(1).since();
            long three = all.getLast().since();
            double passedOn = two + (three - two) + 2.0 * (last - three);
            double sent = two + 2.0 * (three - two) + 2.0 * (last - three);
            double ratio = (double) relayed.get("worker 0") / report.bytesBroadcast();
            assertEquals(
                    passedOn / sent,
                    ratio,
                    0.02,
                    () -> "one child each, then two of the server, then two each: " + all + " to clock " + last + ", "
                            + report);
        }
    }

    /**
     * The first relay that leaves has all others as descendants; they get other parents, and all hold the same sums.
     */
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"chain", "shared:2", "rotated:2"})
    void aRelayLeaves(String tree) {
        int more = 20;
        ClusterSettings settings = terms(tree, 4, 4).build();
        try (TestCluster cluster = TestCluster.of(driver, settings).serve()) {
            for (int i = 0; i < 4; i++) {
                String name = "worker " + i;
                Predicate<Worker> goes = i < 2 ? worker -> worker.completed() >= 5 : STAYS;
                cluster.train(name, i, worker -> train(name, worker, 2, more, goes));
            }
            cluster.awaitSuccess();
            List<WorkerSet> all = workerSets.get("worker 3");
            assertEquals(List.of(2, 3), all.getLast().workers());
            for (String name : List.of("worker 2", "worker 3")) {
                assertArrayEquals(sum(all, all.getLast().since() + more), replicas.get(name), name);
            }
            for (String name : List.of("worker 0", "worker 1")) {
                List<WorkerSet> known = workerSets.get(name);
                assertArrayEquals(sum(all, known.getLast().since() - 1), replicas.get(name), name);
            }
            assertTrue(relayed.get("worker 0") > 0, "it was a relay");
        }
    }

    /** A newcomer computes its trees from the changes and demotions before it, in their order. */
    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"chain", "rotated:2"})
    void newcomersFollowEarlierDemotions(String tree) throws Exception {
        int more = 20;
        ClusterSettings settings = terms(tree, 3, 5).build();
        CountDownLatch demoted = new CountDownLatch(1);
        Predicate<Worker> isDemotedSoon = worker -> {
            if (!worker.links().membership().state().demotions().isEmpty()) {
                demoted.countDown();
            } else if (worker.workerSet().size() == 4) {
                Membership membership = worker.links().membership();
                membership.workerSetChanges().askForDemotion(true, membership.state());
            }
            return false;
        };
        try (TestCluster cluster = TestCluster.of(driver, settings).serve()) {
            for (int i = 0; i < 3; i++) {
                String name = "worker " + i;
                cluster.train(name, i, worker -> train(name, worker, 2, more, isDemotedSoon));
            }
            come(cluster, "third", 5, 2, more);
            assertTrue(demoted.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS), "no worker is demoted");
            come(cluster, "fourth", 5, 2, more);
            cluster.awaitSuccess();
            List<WorkerSet> all = workerSets.get("worker 0");
            float[] sum = sum(all, all.getLast().since() + more);
            replicas.forEach((name, replica) -> assertArrayEquals(sum, replica, name));
            assertEquals(5, replicas.size());
        }
    }

    /** One worker receives the copy of a host; a newcomer there reads its log, and needs a copy when it leaves. */
    @Tag("slow")
    @Test
    void aHostSharesACopyUntilItsRelayLeaves() {
        int more = 20;
        ClusterSettings settings =
                terms("rotated:2", 3, 4).transport(TransportKind.IPC).build();
        try (TestDriver other = TestDriver.launch();
                TestCluster cluster = TestCluster.of(driver, settings).serve()) {
            cluster.adjustWorkers(worker -> {
                if (worker.index() != 0) {
                    worker.aeronDirectory(other.directory()).channels(other.lengths());
                }
            });
            for (int i = 0; i < 3; i++) {
                String name = "worker " + i;
                Predicate<Worker> whenItPassesOnToTwo =
                        worker -> worker.completed() > worker.workerSet().since() + more
                                && worker.workerSet().size() == 4;
                Predicate<Worker> goes = 1 == i ? whenItPassesOnToTwo : STAYS;
                cluster.train(name, i, worker -> train(name, worker, 2, more, goes));
            }
            come(cluster, "another", 5, 2, more);
            cluster.awaitSuccess();
            List<WorkerSet> all = workerSets.get("worker 0");
            assertEquals(List.of(0, 2, 3), all.getLast().workers());
            long last = all.getLast().since() + more;
            for (String name : List.of("worker 0", "worker 2", "another")) {
                assertArrayEquals(sum(all, last), replicas.get(name), name);
            }
            assertTrue(relayed.get("worker 1") > 0, "it was a relay");
            assertEquals(0, relayed.get("worker 2"), "leaves do not become relays");
            assertEquals(0, relayed.get("another"));
        }
    }

    /**
     * The worker reads nothing for so long that broadcasts continue without it; the next frames are after its last
     * version.
     */
    @Tag("slow")
    @Test
    void aLeavingWorkerDetectsMissingFramesOfItsLastVersion() throws Exception {
        CountDownLatch hasAll = new CountDownLatch(1);
        ChannelSettings channels = new ChannelSettings()
                .ipcTermLength(1 << 20)
                .udpTermLength(1 << 20)
                .receiverWindow(128 << 10);
        ClusterSettings settings =
                terms("chain", 2, 2).sliceElements(1_024).livenessMs(60_000).build();
        try (TestDriver narrow = TestDriver.launch(channels);
                TestCluster cluster = TestCluster.of(narrow, settings)) {
            cluster.adjustWorkers(
                            context -> context.relayBytes(1 << 20).relayPatienceNs(TimeUnit.MILLISECONDS.toNanos(300)))
                    .serve();
            cluster.train(worker -> {
                Table table = worker.table("w", 500, ELEMENTS);
                worker.start(Initialiser.ZEROS);
                float[] update = new float[500 * ELEMENTS];
                Arrays.fill(update, 1);
                boolean stays = 0 == worker.index();
                while (stays ? hasAll.getCount() > 0 : worker.takesPart()) {
                    table.sync();
                    table.update(update);
                    worker.clock();
                    furthest.accumulateAndGet(worker.completed(), Math::max);
                    if (!stays && 2 == worker.completed()) {
                        worker.requestLeave();
                    }
                }
                if (!stays) {
                    String word = "the receiver of link worker 0 to worker 1 takes no frames";
                    Deadline.await(
                            word,
                            () -> cluster.errors().stream()
                                    .anyMatch(told -> told.getMessage().startsWith(word)));
                    long then = furthest.get();
                    Deadline.await("all workers continue", () -> furthest.get() > then + 2);
                }
                worker.drain();
                if (!stays) {
                    assertEquals(2 * worker.completed(), table.get(0, 0));
                    assertEquals(2 * worker.completed(), table.get(499, ELEMENTS - 1));
                }
                hasAll.countDown();
            });
            cluster.awaitSuccess();
        }
    }

    /** After a worker has completed its training nothing more is agreed, so the dead child stays in the trees. */
    @Test
    @Tag("slow")
    void aChildThatIsLostAtTheEndDelaysNoNode() throws Exception {
        int last = 3;
        NodeClock clock = new NodeClock();
        ClusterSettings settings = terms("chain", 3, 3)
                .sliceElements(1_024)
                .onDeath(DeathPolicy.SHRINK)
                .heartbeatMs(100)
                .livenessMs(3_000)
                .build();
        TestCluster running = TestCluster.of(driver, settings).adjustWorkers(context -> {
            if (1 == context.index()) {
                context.clock(clock);
            }
        });
        try (TestCluster cluster = running.serve();
                AutoCloseable _ = clock::resume) {
            cluster.train(worker -> {
                Table table = worker.table("w", 1_000, ELEMENTS); // more than may be in flight
                worker.start(Initialiser.ZEROS);
                float[] update = new float[1_000 * ELEMENTS];
                Arrays.fill(update, 1);
                while (worker.completed() < last) {
                    table.sync();
                    if (2 == worker.index() && worker.completed() == last - 1) {
                        Deadline.await("worker 1 stalls", clock::isStopped);
                    }
                    table.update(update);
                    worker.clock();
                }
                if (1 == worker.index()) {
                    clock.stop();
                    clock.nanoTime();
                }
            });
            assertNull(cluster.awaitEnd("worker 2"));
            assertNull(cluster.awaitEnd("worker 0"));
            assertNull(cluster.awaitEnd("server 0"));
        }
    }

    /** The descendants of the dead relay request missing frames, and a later newcomer computes its parent. */
    @Test
    @Tag("slow")
    void aRelayDiesAndANewcomerJoins() throws Exception {
        int more = 20;
        NodeClock clock = new NodeClock();
        ClusterSettings settings = terms("chain", 4, 4)
                .onDeath(DeathPolicy.SHRINK)
                .heartbeatMs(100)
                .livenessMs(1_500)
                .build();
        TestCluster running = TestCluster.of(driver, settings).adjustWorkers(context -> {
            if (1 == context.index()) {
                context.clock(clock);
            }
        });
        try (TestCluster cluster = running.serve();
                AutoCloseable _ = clock::resume) {
            for (int i : List.of(0, 2, 3)) {
                String name = "worker " + i;
                cluster.train(name, i, worker -> train(name, worker, 2, more, STAYS));
            }
            cluster.train("worker 1", 1, worker -> {
                Table table = worker.table("w", 1, ELEMENTS);
                worker.start(Initialiser.ZEROS);
                while (worker.completed() < LAST_OF_THE_DEAD) {
                    step(worker, table);
                }
                clock.stop();
                clock.nanoTime();
            });
            Deadline.await("worker 1 stalls", clock::isStopped);
            come(cluster, "another", 13, 2, more); // possible only after worker 1 is known to be dead
            for (String name : List.of("worker 0", "worker 2", "worker 3", "another")) {
                assertNull(cluster.awaitEnd(name), name);
            }
            List<WorkerSet> all = workerSets.get("another");
            assertEquals(List.of(0, 2, 3), all.get(1).workers());
            assertEquals(List.of(0, 1, 2, 3), all.get(2).workers());
            assertEquals(4, replicas.size());
            replicas.forEach((name, replica) -> assertArrayEquals(replicas.get("worker 0"), replica, name));
            long without = all.get(1).since() - 1 - LAST_OF_THE_DEAD;
            assertEquals(sum(all, all.getLast().since() + more)[0] - without, replicas.get("another")[0]);
        }
    }

    @Test
    void serversDoNotLeaveIfTreesHaveRelays() {
        ClusterSettings settings = terms("rotated:2", 2, 3).servers(2).build();
        try (TestCluster cluster = TestCluster.of(driver, settings).serve()) {
            cluster.train(worker -> train("worker " + worker.index(), worker, 0, 5, STAYS));
            IllegalStateException refusal = assertThrows(
                    IllegalStateException.class, () -> cluster.server(1).drain());
            assertTrue(refusal.getMessage().contains("rotated:2"), refusal.getMessage());
            cluster.awaitSuccess();
        }
    }
}
