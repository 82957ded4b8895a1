package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.snapshot.SnapshotFiles;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.snapshot.SnapshotRetention;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TransportKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** A job that is aborted and restored, any number of times, ends bit-identical to an undisturbed job. */
@Timeout(240)
class RestoredRunTest {
    private static final List<String> RULES =
            List.of("sum", "adarevision:0.4", "momentum:0.5", "momentum:0.5;outer;weighted", "adam:0.1");
    private static final List<Shape> SHAPES = List.of(new Shape("w", 13, 31), new Shape("bias", 1, 1));

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

    @Test
    @Tag("slow")
    void hasTheBitsOfAnUndisturbedRun() {
        Property.holds(1, random -> {
            String rule = RULES.get(random.nextInt(RULES.size()));
            boolean exact = rule.startsWith("adarevision") || random.nextBoolean();
            ClusterSettings settings = TestCluster.terms()
                    .rule(rule)
                    .consistency("sum".equals(rule) && random.nextBoolean() ? "drift:0.5,7" : "bsp")
                    .filter(exact ? "none" : "dvf:1")
                    .values(exact ? "f32" : "bf16")
                    .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                    .tree(random.nextBoolean() ? "chain" : "flat")
                    .build();
            Updates updates = new Updates(random.nextLong(), SHAPES);
            Map<Integer, float[]> expected = new ConcurrentHashMap<>();
            TestCluster.run(
                    driver, settings, worker -> SavedTraining.train(worker, updates, SavedTraining.NEVER, expected));
            Path here = folder.resolve("seed " + random.nextLong());
            Map<Integer, float[]> last = new ConcurrentHashMap<>();
            long from = -1;
            for (int run = 0; run < 3; run++) {
                long begun =
                        SavedTraining.interrupted(driver, settings, here, updates, 15 + 40 * run + random.nextInt(10));
                assertTrue(begun >= from, "run " + run + " began at clock " + begun + " after one at " + from);
                from = begun;
            }
            assertTrue(from > 0, "no run began with a snapshot");
            try (TestCluster cluster = SavedTraining.cluster(driver, settings, here, true)) {
                cluster.train(worker -> SavedTraining.train(worker, updates, SavedTraining.NEVER, last));
                cluster.awaitSuccess();
            }
            expected.forEach((worker, replica) -> assertArrayEquals(replica, last.get(worker), "worker " + worker));
        });
    }

    @Tag("slow")
    @Test
    void returnsToThePreviousSnapshotIfOneIsDamaged() throws IOException {
        ClusterSettings settings = TestCluster.terms().build();
        Updates updates = new Updates(1, SHAPES);
        SavedTraining.interrupted(driver, settings, folder, updates, 20);
        List<Path> held = SavedTraining.snapshots(folder, "worker-1");
        assertTrue(held.size() >= 2, held + " are held");
        byte[] bytes = Files.readAllBytes(held.getLast());
        bytes[bytes.length / 2] ^= 1;
        Files.write(held.getLast(), bytes);
        AtomicLong begun = new AtomicLong();
        try (TestCluster cluster = SavedTraining.cluster(driver, settings, folder, true)) {
            cluster.train(worker -> {
                begun.set(worker.plan().start().clock());
                SavedTraining.train(worker, updates, SavedTraining.NEVER, new ConcurrentHashMap<>());
            });
            cluster.awaitSuccess();
            assertTrue(cluster.errors().toString().contains(held.getLast().toString()), cluster.errors() + "");
        }
        assertTrue(begun.get() > 0 && begun.get() < clockOf(held.getLast()), "it began at " + begun.get());
    }

    /** Simulates the death of server 0 while the first snapshot is saved: only some nodes hold it. */
    @Test
    @Tag("slow")
    void startsFromTheBeginningIfNoSnapshotWasComplete() throws IOException {
        ClusterSettings settings = TestCluster.terms().build();
        Updates updates = new Updates(6, SHAPES);
        Map<Integer, float[]> expected = new ConcurrentHashMap<>();
        TestCluster.run(
                driver, settings, worker -> SavedTraining.train(worker, updates, SavedTraining.NEVER, expected));
        SavedTraining.interrupted(driver, settings, folder, updates, 20);
        for (String node : List.of("server-0", "server-1", "worker-0", "worker-1", "worker-2")) {
            List<Path> held = SavedTraining.snapshots(folder, node);
            boolean holds = node.startsWith("server");
            if (holds) {
                SnapshotFiles.holdTheOldest(folder.resolve(node)); // as if this were a first snapshot
            }
            for (Path snapshot : holds ? held.subList(1, held.size()) : held) {
                Files.delete(snapshot);
            }
        }
        Map<Integer, float[]> last = new ConcurrentHashMap<>();
        try (TestCluster cluster = SavedTraining.cluster(driver, settings, folder, true)) {
            cluster.train(worker -> SavedTraining.train(worker, updates, SavedTraining.NEVER, last));
            cluster.awaitSuccess();
            assertTrue(
                    cluster.errors().toString().contains("no snapshot of the run before was complete"),
                    cluster.errors() + "");
        }
        expected.forEach((worker, replica) -> assertArrayEquals(replica, last.get(worker), "worker " + worker));
    }

    /** One folder of a run with complete snapshots is missing: a start from the beginning would discard them. */
    @Tag("slow")
    @Test
    void refusesToStartFromTheBeginningIfSnapshotsWereComplete() throws IOException {
        Updates updates = new Updates(6, SHAPES);
        SavedTraining.interrupted(driver, TestCluster.terms().build(), folder, updates, 20);
        for (Path snapshot : SavedTraining.snapshots(folder, "worker-2")) {
            Files.delete(snapshot);
        }
        requireRefusal(TestCluster.terms().build(), true, "there is no clock of which all nodes hold a snapshot");
    }

    /** All other nodes hold parts of what could be a first snapshot; this one knows that it is not. */
    @Tag("slow")
    @Test
    void aNodeThatKnowsOfACommitDeletesNothing() throws IOException {
        Updates updates = new Updates(6, SHAPES);
        SnapshotRetention whole = new SnapshotRetention(2, 0, true);
        SavedTraining.interrupted(driver, TestCluster.terms().build(), folder, updates, 30, whole);
        Path newest = SavedTraining.snapshots(folder, "server-1").getLast();
        for (String node : List.of("server-0", "server-1", "worker-0", "worker-1", "worker-2")) {
            for (Path snapshot : SavedTraining.snapshots(folder, node)) {
                if (!snapshot.equals(newest)) {
                    Files.delete(snapshot);
                }
            }
        }
        requireFailure("server 1", true, newest + " states that the snapshot of clock ");
        assertEquals(List.of(newest), SavedTraining.snapshots(folder, "server-1"));
    }

    /** Simulates an upgrade to a version with another format. */
    @Test
    void aFolderOfUnreadableFilesIsNotEmpty() throws IOException {
        Updates updates = new Updates(6, SHAPES);
        SavedTraining.interrupted(driver, TestCluster.terms().build(), folder, updates, 20);
        for (String node : List.of("server-0", "server-1", "worker-0", "worker-1", "worker-2")) {
            for (Path snapshot : SavedTraining.snapshots(folder, node)) {
                damage(snapshot);
            }
        }
        List<Path> before = SavedTraining.snapshots(folder, "server-0");
        for (boolean restore : new boolean[] {true, false}) {
            requireFailure("server 0", restore, "restore none: they are damaged, or of another version");
            assertEquals(before, SavedTraining.snapshots(folder, "server-0"));
        }
    }

    private static void damage(Path snapshot) throws IOException {
        byte[] bytes = Files.readAllBytes(snapshot);
        bytes[Long.BYTES - 1] ^= 1; // the number of the format
        Files.write(snapshot, bytes);
    }

    private void requireFailure(String node, boolean restore, String words) {
        try (TestCluster cluster =
                SavedTraining.cluster(driver, TestCluster.terms().build(), folder, restore)) {
            cluster.train(worker -> SavedTraining.train(
                    worker, new Updates(6, SHAPES), SavedTraining.NEVER, new ConcurrentHashMap<>()));
            Throwable failure = cluster.awaitEnd(node);
            assertNotNull(failure, node + " ended as if nothing had happened");
            assertTrue(failure.getMessage().contains(words), failure.getMessage());
        }
    }

    /** A server that continues from sums of an older clock than all others has lost the pushes in between. */
    @Test
    @Tag("slow")
    void lostPushesAreMissingInTheServersCount() {
        ClusterSettings settings = TestCluster.terms().build();
        Updates updates = new Updates(7, SHAPES);
        List<Long> expected = taken(TestCluster.run(
                driver,
                settings,
                worker -> SavedTraining.train(worker, updates, SavedTraining.NEVER, new ConcurrentHashMap<>())));
        SavedTraining.interrupted(driver, settings, folder, updates, 20);
        assertEquals(expected, takenFromHere(settings, updates));
        deleteAll();
        SavedTraining.interrupted(driver, settings, folder, updates, 20);
        SnapshotFiles.holdTheOldest(folder.resolve("server-1"));
        List<Long> taken = takenFromHere(settings, updates);
        assertEquals(expected.get(0), taken.get(0));
        assertTrue(taken.get(1) < expected.get(1), taken + " frames taken of " + expected);
    }

    private List<Long> takenFromHere(ClusterSettings settings, Updates updates) {
        try (TestCluster cluster = SavedTraining.cluster(driver, settings, folder, true)) {
            cluster.train(
                    worker -> SavedTraining.train(worker, updates, SavedTraining.NEVER, new ConcurrentHashMap<>()));
            cluster.awaitSuccess();
            return taken(cluster.reports());
        }
    }

    private static List<Long> taken(List<ServerReport> reports) {
        return reports.stream().map(ServerReport::framesTaken).toList();
    }

    private void deleteAll() {
        for (String node : List.of("server-0", "server-1", "worker-0", "worker-1", "worker-2")) {
            SnapshotFolder.open(folder.resolve(node)).keep(clock -> false);
        }
    }

    private static long clockOf(Path snapshot) {
        return Long.parseLong(snapshot.getFileName().toString().split("\\.")[0]);
    }

    @Tag("slow")
    @Test
    void refusesOtherTermsAndFoldersOfAnotherRun() {
        Updates updates = new Updates(2, SHAPES);
        SavedTraining.interrupted(driver, TestCluster.terms().build(), folder, updates, 20);
        requireRefusal(TestCluster.terms().build(), false, "restore them, or name an empty folder");
        requireRefusal(TestCluster.terms().filter("dvf:2").build(), true, "dvf:2");
        requireRefusal(TestCluster.terms().rule("mean").build(), true, "rule mean");
    }

    private void requireRefusal(ClusterSettings settings, boolean restore, String words) {
        try (TestCluster cluster = SavedTraining.cluster(driver, settings, folder, restore)) {
            cluster.train(worker -> SavedTraining.train(
                    worker, new Updates(2, SHAPES), SavedTraining.NEVER, new ConcurrentHashMap<>()));
            var failure = cluster.awaitFailure("worker 0");
            assertEquals(Failure.REFUSED, failure.failure(), failure.getMessage());
            assertTrue(failure.getMessage().contains(words), failure.getMessage());
        }
    }

    @Test
    void aNodeWithoutAFolderIsRefused() {
        ClusterSettings settings = TestCluster.terms().build();
        try (TestCluster cluster = TestCluster.of(driver, settings)
                .adjust(context -> context.snapshots(2 == context.index() ? null : folder))
                .adjustServers(server -> {
                    if (0 == server.index()) {
                        server.takeSnapshots("4", false);
                    }
                })
                .serve()) {
            cluster.train(worker -> SavedTraining.train(
                    worker, new Updates(3, SHAPES), SavedTraining.NEVER, new ConcurrentHashMap<>()));
            var failure = cluster.awaitFailure("worker 2");
            assertTrue(failure.getMessage().contains("was given no folder"), failure.getMessage());
        }
    }

    @Test
    void aNodeReportsAnUnusedFolder() {
        ClusterSettings settings = TestCluster.terms().servers(1).workers(1).build();
        try (TestCluster cluster = TestCluster.of(driver, settings)
                .adjust(context -> context.snapshots(folder))
                .serve()) {
            cluster.train(worker -> {
                worker.table("w", 1, 1);
                worker.start(Initialiser.ZEROS);
            });
            cluster.awaitSuccess();
            List<String> said = cluster.errors().stream()
                    .map(Throwable::getMessage)
                    .sorted()
                    .toList();
            String behind = " keeps nothing in " + folder + ": this cluster takes no snapshots";
            assertEquals(List.of("server 0" + behind, "worker 0" + behind), said);
        }
    }
}
