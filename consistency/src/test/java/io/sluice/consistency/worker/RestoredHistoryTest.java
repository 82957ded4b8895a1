package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotFiles;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.snapshot.SnapshotRetention;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job can be restored at the clock of any snapshot that all nodes hold. The resumed job deletes later snapshots. */
@Timeout(180)
class RestoredHistoryTest {
    /** Wide enough for increments: few of its pages ever change, however far apart two snapshots are. */
    private static final List<Shape> WIDE = List.of(new Shape("w", 13, 31), new Shape("still", 160, 1_024));

    private static TestDriver driver;

    @TempDir
    private Path folder;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** The result is equal from any clock of the history, with increments or whole snapshots only. */
    @Test
    @Tag("slow")
    void hasTheSameBitsFromAnyClockOfTheHistory() {
        AtomicInteger runs = new AtomicInteger();
        Property.holds(2, random -> {
            ClusterSettings settings = TestCluster.terms().filter("dvf:1").build();
            Updates updates = new PartialUpdates(random.nextLong(), null, 0);
            Map<Integer, float[]> expected = new ConcurrentHashMap<>();
            TestCluster.run(
                    driver, settings, worker -> SavedTraining.train(worker, updates, SavedTraining.NEVER, expected));
            Path recorded = folder.resolve("recorded " + random.nextLong());
            SnapshotRetention kept = new SnapshotRetention(4, 3 * runs.getAndIncrement(), true);
            SavedTraining.interrupted(driver, settings, recorded, updates, 70, kept);
            List<Long> held = heldByAll(recorded);
            // All nodes hold the kept number of snapshots when the run ends, but some may lack the newest of others.
            assertTrue(held.size() >= kept.commits() - 1, held + " are held");
            assertEquals(
                    kept.increments() > 0,
                    SnapshotFiles.hasIncrements(recorded.resolve("worker-0")),
                    "increments were written");
            int later = 1 + random.nextInt(held.size() - 1);
            for (long clock : List.of(held.getFirst(), held.get(later))) {
                Path copy = copyOf(recorded, "copy " + random.nextLong());
                Map<Integer, float[]> last = new ConcurrentHashMap<>();
                AtomicLong begun = new AtomicLong(-1);
                try (TestCluster cluster = SavedTraining.cluster(driver, settings, copy, Restoration.at(clock), kept)) {
                    cluster.train(worker -> {
                        begun.set(worker.plan().start().clock());
                        SavedTraining.train(worker, updates, SavedTraining.NEVER, last);
                    });
                    cluster.awaitSuccess();
                }
                assertEquals(clock, begun.get());
                expected.forEach((worker, replica) ->
                        assertArrayEquals(replica, last.get(worker), "worker " + worker + " from " + clock));
            }
        });
    }

    /** A job that returns to an earlier clock and continues differently uses nothing of the first run. */
    @Test
    @Tag("slow")
    void anAbandonedRunIsNotMixedWithTheNext() {
        ClusterSettings settings = TestCluster.terms().build();
        SnapshotRetention kept = new SnapshotRetention(8, 31, true);
        Updates first = new PartialUpdates(7, null, 0);
        SavedTraining.interrupted(driver, settings, folder, first, 60, kept);
        List<Long> held = heldByAll(folder);
        long back = held.get(held.size() / 2);
        Updates other = new PartialUpdates(8, first, back);
        LongPredicate soon = round -> round > back + 6;
        try (TestCluster cluster = SavedTraining.cluster(driver, settings, folder, Restoration.at(back), kept)) {
            cluster.train(worker -> {
                SavedTraining.train(
                        worker, other, worker.index() == 1 ? soon : SavedTraining.NEVER, new ConcurrentHashMap<>());
                throw new IllegalStateException("given up");
            });
            cluster.awaitEnd("worker 1");
        }
        assertTrue(heldByAll(folder).getFirst() < held.getFirst(), "the first future is still there");
        Map<Integer, float[]> last = new ConcurrentHashMap<>();
        try (TestCluster cluster = SavedTraining.cluster(driver, settings, folder, Restoration.NEWEST, kept)) {
            cluster.train(worker -> SavedTraining.train(worker, other, SavedTraining.NEVER, last));
            cluster.awaitSuccess();
        }
        Map<Integer, float[]> expected = new ConcurrentHashMap<>();
        TestCluster.run(driver, settings, worker -> SavedTraining.train(worker, other, SavedTraining.NEVER, expected));
        expected.forEach((worker, replica) -> assertArrayEquals(replica, last.get(worker), "worker " + worker));
    }

    @Tag("slow")
    @Test
    void aClockThatSomeNodesLackIsRefusedWithTheCommonClocks() throws IOException {
        ClusterSettings settings = TestCluster.terms().build();
        SnapshotRetention kept = new SnapshotRetention(4, 0, true);
        SavedTraining.interrupted(driver, settings, folder, new PartialUpdates(9, null, 0), 40, kept);
        List<Long> held = heldByAll(folder);
        long missing = held.get(1);
        Files.delete(folder.resolve("worker-2").resolve("%012d.snapshot".formatted(missing)));
        for (long clock : List.of(missing, held.getFirst() + 1)) {
            try (TestCluster cluster = SavedTraining.cluster(driver, settings, folder, Restoration.at(clock), kept)) {
                cluster.train(worker -> SavedTraining.train(
                        worker, new PartialUpdates(9, null, 0), SavedTraining.NEVER, new ConcurrentHashMap<>()));
                String message = cluster.awaitFailure("worker 0").getMessage();
                String all = held.stream()
                        .filter(each -> each != missing)
                        .map(String::valueOf)
                        .collect(Collectors.joining(", "));
                assertTrue(message.contains("not every node holds a snapshot of clock " + clock), message);
                assertTrue(message.endsWith(all), message + " does not end with " + all);
            }
        }
        try (TestCluster cluster = SavedTraining.cluster(
                driver, settings, folder.resolve("empty"), Restoration.at(4), SnapshotRetention.configured())) {
            cluster.train(worker -> SavedTraining.train(
                    worker, new PartialUpdates(9, null, 0), SavedTraining.NEVER, new ConcurrentHashMap<>()));
            String message = cluster.awaitFailure("worker 0").getMessage();
            assertTrue(message.contains("no clock of which all nodes hold a snapshot"), message);
        }
    }

    /** Clocks to which every node can return, newest first. */
    private static List<Long> heldByAll(Path here) {
        try (Stream<Path> nodes = Files.list(here)) {
            return nodes.map(node -> SnapshotFolder.open(node).held(sentence -> {}).stream()
                            .map(SnapshotFolder.Held::clock)
                            .toList())
                    .reduce((one, other) -> one.stream().filter(other::contains).toList())
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path copyOf(Path recorded, String name) throws IOException {
        Path copy = Files.createDirectories(folder.resolve(name));
        try (Stream<Path> all = Files.walk(recorded)) {
            for (Path each : all.filter(path -> !path.equals(recorded)).toList()) {
                Files.copy(each, copy.resolve(recorded.relativize(each)));
            }
        }
        return copy;
    }

    /** Updates change a tenth of the wide table. Up to a clock they may be those of another run. */
    private static final class PartialUpdates extends Updates {
        private final long seed;
        private final Updates before;
        private final long until;

        private PartialUpdates(long seed, Updates before, long until) {
            super(seed, WIDE);
            this.seed = seed;
            this.before = before;
            this.until = until;
        }

        @Override
        void initial(String table, long start, float[] values) {
            if (null == before) {
                super.initial(table, start, values);
            } else {
                before.initial(table, start, values);
            }
        }

        @Override
        float[] of(TableSpec spec, int worker, long round) {
            if (null != before && round <= until) {
                return before.of(spec, worker, round);
            }
            if (0 == spec.id()) {
                return super.of(spec, worker, round);
            }
            SplittableRandom random = new SplittableRandom(seed + 31 * worker + round);
            float[] update = new float[(int) spec.elements()];
            int begin = random.nextInt(update.length / 10);
            for (int i = begin; i < begin + 100; i++) {
                update[i] = value(random);
            }
            return update;
        }
    }
}
