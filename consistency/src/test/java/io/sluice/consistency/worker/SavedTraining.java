package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotRetention;
import io.sluice.consistency.terms.ClusterSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A training with snapshots that may be aborted. */
final class SavedTraining {
    static final int CLOCKS = 150;
    static final LongPredicate NEVER = round -> false;

    private static final String EVERY_4 = "4";
    private static final int LAG = 12;
    private static final int MOST_WAITS = 50;

    private SavedTraining() {}

    /** Runs until a worker fails, but not before all nodes hold two snapshots; returns its first clock. */
    static long interrupted(TestDriver driver, ClusterSettings settings, Path here, Updates updates, long end) {
        return interrupted(driver, settings, here, updates, end, SnapshotRetention.configured());
    }

    /** Runs as {@code interrupted}, with nodes that keep a history. */
    static long interrupted(
            TestDriver driver, ClusterSettings settings, Path here, Updates updates, long end, SnapshotRetention kept) {
        AtomicLong begun = new AtomicLong();
        try (TestCluster cluster = cluster(driver, settings, here, Restoration.NEWEST, kept)) {
            cluster.train(worker -> {
                begun.set(worker.plan().start().clock());
                LongPredicate over = round -> {
                    letSnapshotsFollow(here, round);
                    return round > end && allHold(kept.commits(), here, settings);
                };
                train(worker, updates, worker.index() == 1 ? over : NEVER, new ConcurrentHashMap<>());
                throw new IllegalStateException("given up");
            });
            cluster.awaitEnd("worker 1");
        }
        return begun.get();
    }

    private static boolean allHold(int count, Path here, ClusterSettings settings) {
        return Stream.concat(
                        IntStream.range(0, settings.servers()).mapToObj(server -> "server-" + server),
                        IntStream.range(0, settings.workers()).mapToObj(worker -> "worker-" + worker))
                .allMatch(node -> Files.isDirectory(here.resolve(node))
                        && snapshots(here, node).size() >= count);
    }

    /** Slows the training down while a snapshot takes longer than the clocks between several, as on a loaded disk. */
    private static void letSnapshotsFollow(Path here, long round) {
        for (int waits = 0; waits < MOST_WAITS && round - newest(here) > LAG; waits++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(4));
        }
    }

    private static long newest(Path here) {
        List<Path> all = Files.isDirectory(here.resolve("worker-1")) ? snapshots(here, "worker-1") : List.of();
        return all.isEmpty()
                ? 0
                : Long.parseLong(all.getLast().getFileName().toString().split("\\.")[0]);
    }

    static TestCluster cluster(TestDriver driver, ClusterSettings settings, Path here, boolean restore) {
        Restoration restoration = restore ? Restoration.NEWEST : Restoration.NONE;
        return cluster(driver, settings, here, restoration, SnapshotRetention.configured());
    }

    static TestCluster cluster(
            TestDriver driver, ClusterSettings settings, Path here, Restoration restoration, SnapshotRetention kept) {
        return TestCluster.of(driver, settings)
                .adjust(context -> context.snapshots(here)
                        .keptSnapshots(kept.commits())
                        .snapshotIncrements(kept.increments())
                        .logsClocks(kept.logs()))
                .adjustServers(server -> {
                    if (0 == server.index()) {
                        TestCluster.takeSnapshots(server, EVERY_4, restoration);
                    }
                })
                .serve();
    }

    static void train(Worker worker, Updates updates, LongPredicate end, Map<Integer, float[]> last) {
        List<Table> tables = updates.declare(worker);
        Position position = new Position();
        worker.trainerState(position::save, position::restore);
        worker.start(updates::initial);
        assertEquals(worker.completed(), position.value, "the trainer's own state is restored with the model");
        for (long round = worker.completed() + 1; round <= CLOCKS; round++) {
            if (end.test(round)) {
                return;
            }
            Updates.weigh(worker, round);
            for (Table table : tables) {
                if (0 == table.spec().id() || table.version() < round - 1) {
                    table.sync(); // other tables may have been synced with the first
                }
                table.update(updates.of(table.spec(), worker.index(), round));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(4));
            position.value = round;
            worker.clock();
        }
        worker.drain();
        last.put(worker.index(), copyOf(tables));
    }

    private static float[] copyOf(List<Table> tables) {
        float[] all = new float[0];
        for (Table table : tables) {
            float[] values = Updates.copy(table);
            int before = all.length;
            all = Arrays.copyOf(all, before + values.length);
            System.arraycopy(values, 0, all, before, values.length);
        }
        return all;
    }

    /** The state of a trainer. */
    private static final class Position {
        private long value;

        byte[] save() {
            return String.valueOf(value).getBytes();
        }

        void restore(byte[] state) {
            value = Long.parseLong(new String(state));
        }
    }

    static List<Path> snapshots(Path here, String node) {
        try (Stream<Path> files = Files.list(here.resolve(node))) {
            return files.filter(file -> file.toString().endsWith(".snapshot"))
                    .sorted(Comparator.naturalOrder())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
