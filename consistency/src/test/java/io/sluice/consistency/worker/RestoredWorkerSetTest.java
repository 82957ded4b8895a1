package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.SharedSnapshot;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.terms.WorkerSet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Workers and servers join and leave a job that takes snapshots. The job is aborted, and continues with the nodes that
 * took part at the clock of its last snapshot: at every version its replicas are bit-identical to the sums of the
 * worker set of each clock.
 */
@Timeout(240)
class RestoredWorkerSetTest {
    private static final String OFTEN = "4";
    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final ClusterSecret SECRET =
            ClusterSecret.of("a secret for tests, long enough".getBytes(StandardCharsets.US_ASCII));

    private static TestDriver driver;

    @TempDir
    private Path folder;

    private final Updates updates = new Updates(11, VersionedTraining.SHAPES);

    /** By table, version and worker sets, in the run that reached it first. */
    private final Map<String, float[]> versions = new ConcurrentHashMap<>();

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms() {
        return TestCluster.terms().servers(2).serverPlaces(3).workers(2).places(4);
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"ipc, none, flat, false", "udp, dvf:1.5, flat, true", "udp, none, rotated:2, false"})
    void continuesWithTheNodesThatTookPart(String medium, String filter, String tree, boolean sealed) {
        boolean moves = "flat".equals(tree);
        ClusterSettings settings = terms().serverPlaces(moves ? 3 : 2)
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .filter(filter)
                .tree(tree)
                .seal(sealed)
                .build();
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            run.serve(0, 1);
            run.train(0, 1);
            run.awaitClock(5);
            run.train(3);
            run.awaitNote("worker 3 takes part from");
            if (moves) {
                run.serve(2);
                run.awaitNote("server 2 owns slices from");
            }
            run.goes.put(0, true);
            assertEquals(null, run.cluster.awaitEnd("worker 0"));
            if (moves) {
                run.cluster.server(1).drain();
                assertEquals(null, run.cluster.awaitEnd("server 1"));
            }
            run.endTooSoon();
        }
        int server = moves ? 2 : 1;
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            run.serve(0, server);
            run.train(1, 3);
            assertTrue(run.from() > 5, "it began at " + run.from());
            run.train(0);
            run.awaitNote("worker 0 takes part from");
            run.goes.put(3, true);
            assertEquals(null, run.cluster.awaitEnd("worker 3"));
            run.endTooSoon();
        }
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            run.serve(0, server);
            run.train(0, 1);
            run.awaitClock(run.from() + 10);
            run.endSoon();
            run.cluster.awaitSuccess();
            run.cluster.reports().forEach(report -> assertEquals(0, report.framesRejected()));
        }
    }

    /** Nodes that took part in the newest snapshot, but not in the one to which the job returns, join it anew. */
    @Test
    @Tag("slow")
    void returnsToAClockBeforeANodeHadJoined() {
        ClusterSettings settings = terms().build();
        long before;
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            run.serve(0, 1);
            run.train(0, 1);
            run.awaitSnapshots("server-0", 0);
            run.train(2);
            run.awaitNote("worker 2 takes part from");
            run.endTooSoon();
            long joined = run.clocks("worker-2", 0).getFirst();
            before = run.lastCommonClock(joined, "server-0", "server-1", "worker-0", "worker-1");
        }
        versions.clear(); // another run begins
        try (Run run = new Run(settings, Restoration.at(before))) {
            run.serve(0, 1);
            run.train(0, 1, 2);
            assertEquals(before, run.from());
            run.awaitNote("worker 2 takes part from");
            run.endSoon();
            run.cluster.awaitSuccess();
        }
    }

    /** A worker of the newest snapshots has lost its disk: an earlier worker set holds older snapshots. */
    @Test
    @Tag("slow")
    void restoresTheNewestSnapshotThatAWholeWorkerSetHolds() {
        ClusterSettings settings = terms().build();
        long before;
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            before = run.joinedByWorker2();
            run.endTooSoon();
        }
        SnapshotFolder.ofNode(folder.resolve("first"), "worker", 2).keep(clock -> false);
        versions.clear(); // another run begins
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            run.serve(0, 1);
            run.train(0, 1, 2);
            assertTrue(run.from() >= before, "it began at " + run.from());
            run.awaitNote("worker 2 takes part from");
            run.endSoon();
            run.cluster.awaitSuccess();
        }
    }

    /**
     * Each of the two newest worker sets has a node that has lost its disk: the job returns to the worker set before
     * them.
     */
    @Test
    @Tag("slow")
    void aSupervisorStartsTheNodesOfTheNewestSharedSnapshot() {
        ClusterSettings settings = terms().build();
        long before;
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            before = run.joinedByWorker2();
            run.awaitSnapshots("server-0", run.furthest.get());
            run.goes.put(2, true);
            assertEquals(null, run.cluster.awaitEnd("worker 2"));
            run.train(3);
            run.awaitNote("worker 3 takes part from");
            run.endTooSoon();
        }
        SnapshotFolder.ofNode(folder.resolve("first"), "worker", 2).keep(clock -> false);
        SnapshotFolder.ofNode(folder.resolve("first"), "worker", 3).keep(clock -> false);
        versions.clear(); // another run begins
        SharedSnapshot shared = SharedSnapshot.newest(settings, folder.resolve("first"));
        try (Run run = new Run(settings, Restoration.at(shared.clock()))) {
            shared.nodes().forEach(node -> {
                if (node < 3) {
                    run.serve(node);
                } else {
                    run.train(node - 3);
                }
            });
            assertEquals(shared.clock(), run.from());
            assertTrue(run.from() >= before, "it began at " + run.from());
            run.endSoon();
            run.cluster.awaitSuccess();
        }
    }

    /** A restore of such a snapshot would lose the worker set, and with it the residual of a node that joined. */
    @Tag("slow")
    @Test
    void aSnapshotOfAJobWhoseNodesJoinIsNotRestoredWithoutPlacesForThem() {
        try (Run run = new Run(terms().build(), Restoration.NEWEST)) {
            run.serve(0, 1);
            run.train(0, 1);
            run.awaitClock(3);
            run.train(3);
            run.awaitNote("worker 3 takes part from");
            run.endTooSoon();
        }
        ClusterSettings fixed = TestCluster.terms().servers(2).workers(2).build();
        requireUnfit(fixed, "restore it with the same places for workers and servers");
        ClusterSettings fewer = terms().places(3).build();
        requireUnfit(fewer, "the snapshot is of a job with worker 3, expected one of 3 places for workers");
    }

    private void requireUnfit(ClusterSettings settings, String words) {
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            run.serve(0, 1);
            run.train(0, 1);
            ClusterException refused = run.cluster.awaitFailure("server 0");
            assertTrue(refused.getMessage().contains(words), refused.getMessage());
        }
    }

    @Test
    @Tag("slow")
    void waitsForTheNodesThatTookPart() {
        ClusterSettings settings = terms().build();
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            run.serve(0, 1);
            run.train(0, 1);
            run.awaitClock(3);
            run.train(3);
            run.awaitNote("worker 3 takes part from");
            run.endTooSoon();
        }
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            run.serve(0, 1);
            run.train(0, 1);
            Deadline.await(
                    "a report of the wait",
                    () -> run.cluster.waits().stream().anyMatch(sentence -> sentence.contains("for worker 3 to join")));
            assertEquals(0, run.furthest.get());
            run.train(3);
            run.from();
            run.endSoon();
            run.cluster.awaitSuccess();
        }
    }

    @Tag("slow")
    @Test
    void aNodeThatJoinsNeedsAFolderWithoutAnotherRun() {
        ClusterSettings settings = terms().build();
        try (Run run = new Run(settings, Restoration.NEWEST)) {
            run.serve(0, 1);
            run.train(0, 1);
            run.train(2);
            run.awaitNote("worker 2 takes part from");
            run.endTooSoon();
        }
        versions.clear(); // another run begins
        try (Run run = new Run(settings, Restoration.NEWEST, folder.resolve("second"))) {
            run.serve(0, 1);
            run.train(0, 1);
            run.awaitClock(3);
            run.cluster.adjust(context -> context.snapshots(folder.resolve("first")));
            requireRefusal(run, 2, "worker 2 holds snapshots of another run: name an empty folder");
            run.cluster.adjust(context -> context.snapshots(null));
            requireRefusal(run, 3, "worker 3 was given no folder for the snapshots that this cluster takes");
            run.endSoon();
            assertEquals(null, run.cluster.awaitEnd("worker 0"));
        }
    }

    private void requireRefusal(Run run, int worker, String words) {
        run.cluster.train(worker, this::idle);
        ClusterException refused = run.cluster.awaitFailure("worker " + worker);
        assertEquals(Failure.REFUSED, refused.failure(), refused.getMessage());
        assertTrue(refused.getMessage().contains(words), refused.getMessage());
    }

    private void idle(Worker worker) {
        updates.declare(worker);
        worker.start(updates::initial);
    }

    /** One run of the job. */
    private final class Run implements AutoCloseable {
        private final TestCluster cluster;
        private final AtomicLong furthest = new AtomicLong();
        private final AtomicLong end = new AtomicLong(FOR_EVER);
        private final AtomicLong from = new AtomicLong(-1);
        private final Map<Integer, Boolean> goes = new ConcurrentHashMap<>();
        private final Path here;
        private volatile boolean broken;

        Run(ClusterSettings settings, Restoration restoration) {
            this(settings, restoration, folder.resolve("first"));
        }

        Run(ClusterSettings settings, Restoration restoration, Path here) {
            this.here = here;
            this.cluster = TestCluster.of(driver, settings)
                    .adjust(context -> context.snapshots(here).keptSnapshots(20).snapshotIncrements(3))
                    .adjustServers(server -> {
                        if (0 == server.index()) {
                            TestCluster.takeSnapshots(server, OFTEN, restoration);
                        }
                    });
            if (settings.seal()) {
                cluster.adjust(context -> context.secret(SECRET));
            }
        }

        void serve(int... servers) {
            for (int server : servers) {
                cluster.serve(server);
            }
        }

        void train(int... workers) {
            for (int worker : workers) {
                cluster.train(worker, this::train);
            }
        }

        /** The clock after which the run continues. */
        long from() {
            Deadline.await(
                    "training continues",
                    () -> from.get() >= 0 || !cluster.failures().isEmpty());
            assertEquals(Map.of(), cluster.failures());
            return from.get();
        }

        void awaitClock(long clock) {
            Deadline.await(
                    "clock " + clock,
                    () -> furthest.get() >= clock || !cluster.failures().isEmpty());
            assertEquals(Map.of(), cluster.failures());
        }

        void awaitNote(String words) {
            Deadline.await(
                    words,
                    () -> cluster.errors().stream()
                            .anyMatch(told -> told.getMessage().contains(words)));
        }

        /** Starts, and continues with worker 2; returns the clock of a snapshot before it joined. */
        long joinedByWorker2() {
            serve(0, 1);
            train(0, 1);
            long before = awaitSnapshots("worker-1", 0);
            train(2);
            awaitNote("worker 2 takes part from");
            return before;
        }

        /** Waits until two more snapshots are saved, so that the first of them is committed; returns its clock. */
        long awaitSnapshots(String node, long behind) {
            Deadline.await(
                    "snapshots of " + node,
                    () -> clocks(node, behind).size() >= 2
                            || !cluster.failures().isEmpty());
            assertEquals(Map.of(), cluster.failures());
            return clocks(node, behind).getFirst();
        }

        /** The last clock before another of which all of these hold a snapshot. */
        long lastCommonClock(long behind, String... nodes) {
            List<Long> common = new ArrayList<>(clocks(nodes[0], 0));
            Arrays.stream(nodes).forEach(node -> common.retainAll(clocks(node, 0)));
            common.removeIf(clock -> clock >= behind);
            return common.getLast();
        }

        private List<Long> clocks(String node, long behind) {
            if (!Files.exists(here.resolve(node))) {
                return List.of();
            }
            return SavedTraining.snapshots(here, node).stream()
                    .map(file -> Long.valueOf(file.getFileName().toString().split("\\.")[0]))
                    .filter(clock -> clock > behind)
                    .toList();
        }

        /** All workers end at the same clock, which is far ahead of each. */
        void endSoon() {
            end.set(Math.max(from.get(), furthest.get()) + 100);
        }

        /** A worker fails once a snapshot after all changes exists. */
        void endTooSoon() {
            awaitSnapshots("server-0", furthest.get());
            broken = true;
            cluster.awaitEnd("server 0");
            assertNotNull(cluster.failures().get("server 0"));
        }

        private void train(Worker worker) {
            List<List<WorkerSet>> told = new ArrayList<>();
            worker.onWorkerSet(told::add);
            List<Table> tables = updates.declare(worker);
            worker.start(updates::initial);
            from.compareAndSet(-1, worker.completed());
            boolean exact = "none".equals(cluster.settings().table("").filter());
            List<WorkerSetSum> sums = tables.stream()
                    .map(table -> new WorkerSetSum(updates, table.spec()))
                    .toList();
            boolean asked = false;
            while (worker.completed() < end.get() && worker.takesPart()) {
                if (broken) {
                    throw new IllegalStateException("given up");
                }
                long round = worker.completed() + 1;
                for (int i = 0; i < tables.size(); i++) {
                    Table table = tables.get(i);
                    table.sync();
                    require(
                            worker,
                            table,
                            told.getLast(),
                            exact ? sums.get(i).upTo(told.getLast(), round - 1) : Updates.copy(table));
                    table.update(updates.of(table.spec(), worker.index(), round));
                }
                worker.clock();
                furthest.accumulateAndGet(round, Math::max);
                if (!asked && goes.getOrDefault(worker.index(), false)) {
                    worker.requestLeave();
                    asked = true;
                }
            }
            worker.drain();
        }

        /** A run that returns to an earlier clock may have other worker sets afterwards than the previous run. */
        private void require(Worker worker, Table table, List<WorkerSet> workerSets, float[] expected) {
            long version = worker.completed();
            List<WorkerSet> until = workerSets.stream()
                    .filter(workerSet -> workerSet.since() <= version)
                    .toList();
            String key = table.spec().name() + " at version " + version + " of " + until;
            float[] now = Updates.copy(table);
            assertArrayEquals(expected, now, () -> "worker " + worker.index() + ", " + key);
            float[] before = versions.putIfAbsent(key, now);
            if (null != before) {
                assertArrayEquals(before, now, () -> "another worker or run has " + key);
            }
        }

        @Override
        public void close() {
            cluster.close();
        }
    }
}
