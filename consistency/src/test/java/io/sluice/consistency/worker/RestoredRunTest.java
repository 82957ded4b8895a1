package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.Failure;
import io.sluice.consistency.membership.TransportKind;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.snapshot.Snapshot;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.consistency.snapshot.TrainerState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A training that ends too soon and is taken up again, as often as that may be, has the bits of one that never did. */
@Timeout(120)
class RestoredRunTest {
    private static final int CLOCKS = 150;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 13, 31), new Shape("bias", 1, 1));
    private static final SnapshotInterval EVERY_4 = new SnapshotInterval(4, 0);
    private static final LongPredicate NEVER = round -> false;

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
    void hasTheBitsOfARunThatNeverEndedTooSoon() {
        Property.holds(4, random -> {
            ClusterSettings settings = TestCluster.terms()
                    .filter(random.nextBoolean() ? "dvf:1" : "none")
                    .values(random.nextBoolean() ? "f32" : "bf16")
                    .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                    .tree(random.nextBoolean() ? "chain" : "flat")
                    .build();
            Updates updates = new Updates(random.nextLong(), SHAPES);
            Map<Integer, float[]> expected = new ConcurrentHashMap<>();
            TestCluster.run(driver, settings, worker -> train(worker, updates, NEVER, expected));
            Path here = folder.resolve("seed " + random.nextLong());
            Map<Integer, float[]> last = new ConcurrentHashMap<>();
            long from = -1;
            for (int run = 0; run < 3; run++) {
                long begun = interrupted(settings, here, updates, 15 + 40 * run + random.nextInt(10));
                assertTrue(begun >= from, "run " + run + " began at clock " + begun + " after one at " + from);
                from = begun;
            }
            assertTrue(from > 0, "no run began with a snapshot");
            try (TestCluster cluster = cluster(settings, here, true)) {
                cluster.train(worker -> train(worker, updates, NEVER, last));
                cluster.awaitSuccess();
            }
            expected.forEach((worker, replica) -> assertArrayEquals(replica, last.get(worker), "worker " + worker));
        });
    }

    /** Runs until a worker gives up, but not before it holds two snapshots; returns where it began. */
    private static long interrupted(ClusterSettings settings, Path here, Updates updates, long end) {
        AtomicLong begun = new AtomicLong();
        try (TestCluster cluster = cluster(settings, here, true)) {
            cluster.train(worker -> {
                begun.set(worker.plan().start().clock());
                LongPredicate over =
                        round -> round > end && snapshots(here, "worker-1").size() > 1;
                train(worker, updates, worker.index() == 1 ? over : NEVER, new ConcurrentHashMap<>());
                throw new IllegalStateException("given up");
            });
            cluster.awaitEnd("worker 1");
        }
        return begun.get();
    }

    private static TestCluster cluster(ClusterSettings settings, Path here, boolean restore) {
        return TestCluster.of(driver, settings)
                .adjust(context -> context.snapshots(here))
                .adjustServers(server -> {
                    if (0 == server.index()) {
                        server.takeSnapshots(EVERY_4, restore);
                    }
                })
                .serve();
    }

    private static void train(Worker worker, Updates updates, LongPredicate end, Map<Integer, float[]> last) {
        List<Table> tables = updates.declare(worker);
        Position position = new Position();
        worker.trainerState(position);
        worker.start(updates::initial);
        assertEquals(worker.completed(), position.value, "the trainer's own state goes with the model's");
        for (long round = worker.completed() + 1; round <= CLOCKS; round++) {
            if (end.test(round)) {
                return;
            }
            for (Table table : tables) {
                if (0 == table.spec().id() || table.version() < round - 1) {
                    table.sync(); // what comes of others with it need not be waited for again
                }
                table.update(updates.of(table.spec(), worker.index(), round));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(4));
            position.value = round;
            worker.clock();
        }
        worker.drain();
        last.put(worker.index(), Updates.copy(tables.getFirst()));
    }

    /** What a trainer remembers. */
    private static final class Position implements TrainerState {
        private long value;

        @Override
        public byte[] save() {
            return String.valueOf(value).getBytes();
        }

        @Override
        public void restore(byte[] state) {
            value = Long.parseLong(new String(state));
        }
    }

    @Test
    void goesBackToTheSnapshotBeforeWhereOneIsDamaged() throws IOException {
        ClusterSettings settings = TestCluster.terms().build();
        Updates updates = new Updates(1, SHAPES);
        interrupted(settings, folder, updates, 20);
        List<Path> held = snapshots(folder, "worker-1");
        assertTrue(held.size() >= 2, held + " are held");
        byte[] bytes = Files.readAllBytes(held.getLast());
        bytes[bytes.length / 2] ^= 1;
        Files.write(held.getLast(), bytes);
        AtomicLong begun = new AtomicLong();
        try (TestCluster cluster = cluster(settings, folder, true)) {
            cluster.train(worker -> {
                begun.set(worker.plan().start().clock());
                train(worker, updates, NEVER, new ConcurrentHashMap<>());
            });
            cluster.awaitSuccess();
            assertTrue(cluster.errors().toString().contains(held.getLast().toString()), cluster.errors() + "");
        }
        assertTrue(begun.get() > 0 && begun.get() < clockOf(held.getLast()), "it began at " + begun.get());
    }

    /** As when server 0 dies while the first snapshot is being saved: only some nodes hold it. */
    @Test
    void beginsAnewWhereNoSnapshotWasComplete() throws IOException {
        ClusterSettings settings = TestCluster.terms().build();
        Updates updates = new Updates(6, SHAPES);
        Map<Integer, float[]> expected = new ConcurrentHashMap<>();
        TestCluster.run(driver, settings, worker -> train(worker, updates, NEVER, expected));
        interrupted(settings, folder, updates, 20);
        for (String node : List.of("server-0", "server-1", "worker-0", "worker-1", "worker-2")) {
            List<Path> held = snapshots(folder, node);
            boolean holds = node.startsWith("server");
            for (Path snapshot : holds ? held.subList(1, held.size()) : held) {
                Files.delete(snapshot);
            }
        }
        Map<Integer, float[]> last = new ConcurrentHashMap<>();
        try (TestCluster cluster = cluster(settings, folder, true)) {
            cluster.train(worker -> train(worker, updates, NEVER, last));
            cluster.awaitSuccess();
            assertTrue(
                    cluster.errors().toString().contains("no snapshot of the run before was complete"),
                    cluster.errors() + "");
        }
        expected.forEach((worker, replica) -> assertArrayEquals(replica, last.get(worker), "worker " + worker));
    }

    /** One folder is missing of a run that had come further: to begin anew would throw that away. */
    @Test
    void refusesToBeginAnewWhereSnapshotsWereComplete() throws IOException {
        Updates updates = new Updates(6, SHAPES);
        interrupted(TestCluster.terms().build(), folder, updates, 20);
        for (Path snapshot : snapshots(folder, "worker-2")) {
            Files.delete(snapshot);
        }
        requireRefusal(TestCluster.terms().build(), true, "there is no clock of which all nodes hold a snapshot");
    }

    /** A server that goes on from sums of an older clock than all others has lost what was pushed between. */
    @Test
    void whatAServerHasLostIsMissingInItsCount() {
        ClusterSettings settings = TestCluster.terms().build();
        Updates updates = new Updates(7, SHAPES);
        List<Long> expected = taken(
                TestCluster.run(driver, settings, worker -> train(worker, updates, NEVER, new ConcurrentHashMap<>())));
        interrupted(settings, folder, updates, 20);
        assertEquals(expected, takenFromHere(settings, updates));
        deleteAll();
        interrupted(settings, folder, updates, 20);
        holdSumsOfAnOlderClock(SnapshotFolder.open(folder.resolve("server-1")));
        List<Long> taken = takenFromHere(settings, updates);
        assertEquals(expected.get(0), taken.get(0));
        assertTrue(taken.get(1) < expected.get(1), taken + " frames taken of " + expected);
    }

    private List<Long> takenFromHere(ClusterSettings settings, Updates updates) {
        try (TestCluster cluster = cluster(settings, folder, true)) {
            cluster.train(worker -> train(worker, updates, NEVER, new ConcurrentHashMap<>()));
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

    /** All it has say that they are of their clock, and have the sums of the oldest. */
    private static void holdSumsOfAnOlderClock(SnapshotFolder held) {
        List<SnapshotFolder.Held> all = held.held(damage -> {});
        assertTrue(all.size() >= 2, all + " are held");
        try (Arena arena = Arena.ofConfined()) {
            Snapshot oldest = held.read(all.getLast().clock(), arena);
            for (SnapshotFolder.Held each : all) {
                held.save(new Snapshot(
                        each.run(), oldest.node(), each.clock(), oldest.terms(), oldest.tables(), oldest.sections()));
            }
        }
    }

    private static List<Path> snapshots(Path here, String node) {
        try (Stream<Path> files = Files.list(here.resolve(node))) {
            return files.filter(file -> file.toString().endsWith(".snapshot"))
                    .sorted(Comparator.naturalOrder())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long clockOf(Path snapshot) {
        return Long.parseLong(snapshot.getFileName().toString().split("\\.")[0]);
    }

    @Test
    void refusesToGoOnUnderOtherTermsOrToWriteAmongSnapshotsOfAnotherRun() {
        Updates updates = new Updates(2, SHAPES);
        interrupted(TestCluster.terms().build(), folder, updates, 20);
        requireRefusal(TestCluster.terms().build(), false, "restore them, or name an empty folder");
        requireRefusal(TestCluster.terms().filter("dvf:2").build(), true, "dvf:2");
    }

    private void requireRefusal(ClusterSettings settings, boolean restore, String words) {
        try (TestCluster cluster = cluster(settings, folder, restore)) {
            cluster.train(worker -> train(worker, new Updates(2, SHAPES), NEVER, new ConcurrentHashMap<>()));
            var failure = cluster.awaitFailure("worker 0");
            assertEquals(Failure.REFUSED, failure.failure(), failure.getMessage());
            assertTrue(failure.getMessage().contains(words), failure.getMessage());
        }
    }

    @Test
    void aNodeWithoutAFolderCannotTakePart() {
        ClusterSettings settings = TestCluster.terms().build();
        try (TestCluster cluster = TestCluster.of(driver, settings)
                .adjust(context -> context.snapshots(2 == context.index() ? null : folder))
                .adjustServers(server -> {
                    if (0 == server.index()) {
                        server.takeSnapshots(EVERY_4, false);
                    }
                })
                .serve()) {
            cluster.train(worker -> train(worker, new Updates(3, SHAPES), NEVER, new ConcurrentHashMap<>()));
            var failure = cluster.awaitFailure("worker 2");
            assertTrue(failure.getMessage().contains("was given no folder"), failure.getMessage());
        }
    }
}
