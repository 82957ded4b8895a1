package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.StoppableClock;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.FactorRunTest.Vectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job of factor tables logs the clocks between its snapshots: it returns to any clock with the bits of the run that
 * passed it, and loses no logged clock.
 */
@Timeout(240)
class LoggedRunTest {
    private static final String EVERY_9 = "9";
    private static final String NEVER = "100000";
    private static final long LAST = 100;

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

    /** The two factor tables of a worker, and a trainer's state that is the clock. */
    private record Trainer(Vectors vectors, Vectors others) {
        void train(Worker worker, long clocks, Map<Integer, Long> begun, Runnable end) {
            FactorTable table = vectors.declare(worker);
            FactorTable second = others.declare(worker, "second");
            AtomicLong position = new AtomicLong();
            worker.trainerState(
                    () -> String.valueOf(position.get()).getBytes(),
                    state -> position.set(Long.parseLong(new String(state))));
            worker.start(
                    (name, start, values) -> ("second".equals(name) ? others : vectors).initial(name, start, values));
            begun.put(worker.index(), worker.completed());
            assertEquals(worker.completed(), position.get(), "the trainer's state is that of the clock");
            long last = Math.min(LAST, worker.completed() + clocks);
            for (long clock = worker.completed() + 1; clock <= last; clock++) {
                boolean secondFirst = worker.index() % 2 == 0; // a version may arrive table by table
                (secondFirst ? second : table).sync();
                (secondFirst ? table : second).sync();
                requireBits(worker, table, second, clock - 1);
                vectors.push(table, worker.index(), clock);
                others.push(second, worker.index(), clock);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(6));
                position.set(clock);
                worker.clock();
            }
            worker.drain();
            requireBits(worker, table, second, last);
            end.run();
        }

        private void requireBits(Worker worker, FactorTable table, FactorTable second, long version) {
            assertEquals(version, table.version());
            assertArrayEquals(vectors.expected(worker.workers(), version), FactorRunTest.copy(table), "at " + version);
            if (second.version() == version) {
                assertArrayEquals(others.expected(worker.workers(), version), FactorRunTest.copy(second));
            }
        }
    }

    private static TestCluster cluster(ClusterSettings settings, Path here, Restoration restoration, int increments) {
        return TestCluster.of(driver, settings)
                .adjust(context -> context.snapshots(here).keptSnapshots(20).snapshotIncrements(increments))
                .adjustServers(server -> {
                    if (0 == server.index()) {
                        TestCluster.takeSnapshots(server, EVERY_9, restoration);
                    }
                })
                .serve();
    }

    /** Trains some clocks, and gives up; returns the clock at which training began. */
    private static long interrupted(ClusterSettings settings, Path here, Trainer trainer, long clocks) {
        Map<Integer, Long> begun = new ConcurrentHashMap<>();
        try (TestCluster cluster = cluster(settings, here, Restoration.NEWEST, 2)) {
            cluster.train(worker -> trainer.train(worker, clocks, begun, () -> {
                throw new IllegalStateException("given up");
            }));
            Throwable end = cluster.awaitEnd("worker 1");
            assertTrue(String.valueOf(end).contains("given up"), () -> cluster.errors() + " " + end);
        }
        assertEquals(1, begun.values().stream().distinct().count(), begun + "");
        return begun.get(0);
    }

    /** The vectors are short: a log ends at 64 KiB, and even if a snapshot is late it must not end before the next. */
    private static Trainer newTrainer(SplittableRandom random) {
        return new Trainer(Vectors.of(random, 12), Vectors.of(random, 6));
    }

    private static ClusterSettings newTerms(SplittableRandom random) {
        return TestCluster.terms()
                .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                .tree(random.nextBoolean() ? "chain" : "flat")
                .sliceElements(random.nextInt(20, 200))
                .build();
    }

    /** The snapshots of a node, the oldest first. */
    private static List<SnapshotFolder.Held> held(Path here, String role, int index) {
        return SnapshotFolder.ofNode(here, role, index)
                .held(damaged -> {
                    throw new AssertionError(damaged);
                })
                .reversed();
    }

    private static List<SnapshotFolder.Held> ofAllNodes(ClusterSettings settings, Path here) {
        return Stream.concat(
                        IntStream.range(0, settings.servers()).mapToObj(i -> held(here, "server", i)),
                        IntStream.range(0, settings.workers()).mapToObj(i -> held(here, "worker", i)))
                .map(List::getFirst)
                .toList();
    }

    @Test
    @Tag("slow")
    void returnsToAnyLoggedClock() {
        Property.holds(1, random -> {
            ClusterSettings settings = newTerms(random);
            Trainer trainer = newTrainer(random);
            Path here = folder.resolve("seed " + random.nextLong());
            interrupted(settings, here, trainer, LAST);
            long first = ofAllNodes(settings, here).stream()
                    .mapToLong(SnapshotFolder.Held::clock)
                    .max()
                    .orElseThrow();
            assertTrue(first > 0 && first < 60, "the first snapshot is of clock " + first);
            for (int i = 0; i < 8; i++) {
                long clock = random.nextLong(first, LAST + 1);
                Path copy = folder.resolve("copy " + i);
                copy(here, copy);
                Map<Integer, Long> begun = new ConcurrentHashMap<>();
                try (TestCluster cluster = cluster(settings, copy, Restoration.at(clock), 2)) {
                    cluster.train(worker -> trainer.train(worker, 2, begun, () -> {}));
                    cluster.awaitSuccess();
                }
                begun.values().forEach(at -> assertEquals(clock, at));
            }
        });
    }

    @Test
    @Tag("slow")
    void nodesThatLogNoClocksHoldSnapshotsOnly() {
        Property.holds(1, random -> {
            ClusterSettings settings = newTerms(random);
            Trainer trainer = newTrainer(random);
            Path here = folder.resolve("seed " + random.nextLong());
            try (TestCluster cluster = TestCluster.of(driver, settings)
                    .adjust(context -> context.snapshots(here).logsClocks(false))
                    .adjustServers(server -> {
                        if (0 == server.index()) {
                            TestCluster.takeSnapshots(server, EVERY_9, Restoration.NONE);
                        }
                    })
                    .serve()) {
                cluster.train(worker -> trainer.train(worker, 40, new ConcurrentHashMap<>(), () -> {}));
                cluster.awaitSuccess();
            }
            ofAllNodes(settings, here).forEach(held -> assertEquals(held.clock(), held.last(), held + ""));
        });
    }

    /** Each run continues where the one before ended, whether or not a snapshot is near. */
    @Test
    @Tag("slow")
    void repeatsNoLoggedClock() {
        Property.holds(1, random -> {
            ClusterSettings settings = newTerms(random);
            Trainer trainer = newTrainer(random);
            Path here = folder.resolve("seed " + random.nextLong());
            interrupted(settings, here, trainer, 60);
            long expected = 60;
            while (expected < 76) {
                long clocks = 1 + random.nextInt(7);
                assertEquals(expected, interrupted(settings, here, trainer, clocks));
                expected += clocks;
                long reached = expected;
                ofAllNodes(settings, here).forEach(held -> assertEquals(reached, held.last(), held + ""));
            }
        });
    }

    /** The clock with which the job began has no snapshot; the worker that returns to it needs the log again. */
    @Test
    @Tag("slow")
    void aWorkerRejoinsAtALoggedClock() {
        Property.holds(1, random -> {
            ClusterSettings settings = TestCluster.terms()
                    .livenessMs(20_000)
                    .onDeath(DeathPolicy.WAIT)
                    .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                    .build();
            Trainer trainer = newTrainer(random);
            Path here = folder.resolve("seed " + random.nextLong());
            interrupted(settings, here, trainer, 60);
            long begin = ofAllNodes(settings, here).stream()
                            .mapToLong(SnapshotFolder.Held::clock)
                            .max()
                            .orElseThrow()
                    + 1;
            AtomicReference<StoppableClock> clock = new AtomicReference<>();
            List<Long> begun = new CopyOnWriteArrayList<>();
            try (TestCluster cluster = TestCluster.of(driver, settings)
                    .incarnations(3)
                    .adjust(context -> context.snapshots(here))
                    .adjustWorkers(worker -> {
                        if (1 == worker.index()) {
                            clock.set(new StoppableClock());
                            worker.clock(clock.get());
                        }
                    })
                    .adjustServers(server -> {
                        if (0 == server.index()) {
                            server.takeSnapshots(NEVER, begin);
                        }
                    })
                    .serve()) {
                cluster.train(worker -> {
                    Map<Integer, Long> own = new ConcurrentHashMap<>();
                    if (1 == worker.index() && begun.isEmpty()) {
                        begun.add(-1L);
                        trainer.train(worker, 8, own, () -> clock.get().fail("sluice-membership"));
                        throw new IllegalStateException("a fault for the test");
                    }
                    trainer.train(worker, begin + 15 - worker.plan().start().clock(), own, () -> {});
                    begun.add(own.get(worker.index()));
                });
                cluster.awaitSuccess();
                assertEquals(1, cluster.deaths().size(), cluster.deaths() + "");
            }
            assertEquals(List.of(-1L, begin, begin, begin), begun);
        });
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.sorted(Comparator.naturalOrder()).toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
