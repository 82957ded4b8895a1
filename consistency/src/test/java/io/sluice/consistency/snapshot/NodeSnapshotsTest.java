package io.sluice.consistency.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.agrona.IoUtil;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeSnapshotsTest {
    private static final List<Snapshot.Section> STATE =
            List.of(new Snapshot.Section("state", MemorySegment.ofArray(new byte[100])));

    @TempDir
    private Path temporary;

    private final SnapshotNews news = new SnapshotNews(SnapshotSchedule.NONE, SnapshotSchedule.NONE);

    /** Simulates a full disk: a folder in place of the file makes the write fail for all users, including root. */
    @Test
    void aFailedSnapshotIsReportedAndTheNextIsWritten() throws IOException {
        Path path = temporary.resolve("worker-0");
        SnapshotFolder folder = SnapshotFolder.open(path);
        try (NodeSnapshots snapshots = snapshots(folder, "worker 0", new SnapshotRetention(2, 0))) {
            Path inTheWay = Files.createDirectories(path.resolve("000000000010.snapshot.part/x"));
            snapshots.save(10, "tables", STATE, 0);
            SnapshotNews.Outcome failed = outcome();
            assertEquals(10, failed.clock());
            assertFalse(failed.late());
            assertTrue(failed.text().contains("000000000010.snapshot"), failed.text());
            Files.delete(inTheWay);
            Files.delete(inTheWay.getParent());
            snapshots.save(20, "tables", STATE, 0);
            assertEquals("", outcome().text());
            assertEquals(List.of(new SnapshotFolder.Held(7, 20)), folder.held(sentence -> {}));
        }
    }

    /** If the folder, a part of it or a folder above is deleted while the job runs, the next snapshot is complete. */
    @Test
    void aDeletedFolderIsCreatedAgain() throws IOException {
        byte[] state = new byte[100 * SectionPages.PAGE];
        Arrays.fill(state, (byte) 1);
        List<Snapshot.Section> sections = List.of(new Snapshot.Section("state", MemorySegment.ofArray(state)));
        Path path = temporary.resolve("job/worker-0");
        SnapshotFolder folder = SnapshotFolder.open(path);
        try (NodeSnapshots snapshots = snapshots(folder, "worker 0", new SnapshotRetention(2, 31))) {
            for (int clock = 10; clock <= 50; clock += 10) {
                state[clock]++;
                news.onOrders(clock, clock - 10 == 0 ? SnapshotSchedule.NONE : clock - 10, clock - 20);
                snapshots.save(clock, "tables", sections, 0);
                assertEquals("", outcome().text());
            }
            IoUtil.delete(path.getParent().toFile(), false);
            snapshots.save(60, "tables", sections, 0);
            assertEquals("", outcome().text());
            assertEquals(List.of(60L), held(folder));
        }
    }

    /** Two commits and the snapshot in progress are kept; abandoned snapshots in between are deleted. */
    @Test
    void snapshotsThatMayBeNeededAreKept() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("worker-1"));
        try (NodeSnapshots snapshots = snapshots(folder, "worker 1", new SnapshotRetention(2, 0))) {
            save(snapshots, 10, SnapshotSchedule.NONE, SnapshotSchedule.NONE);
            save(snapshots, 20, 10, SnapshotSchedule.NONE);
            save(snapshots, 30, 20, 10); // abandoned because of another node
            save(snapshots, 40, 20, 10);
        }
        assertEquals(List.of(40L, 30L, 20L, 10L), held(folder), "the next snapshot might have built on that of 30");
    }

    /** The last three commits and the snapshots on which they build are kept. */
    @Test
    void keptSnapshotsBuildOnExistingFiles() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("worker-2"));
        byte[] state = new byte[100 * SectionPages.PAGE];
        new SplittableRandom(1).nextBytes(state);
        try (NodeSnapshots snapshots = snapshots(folder, "worker 2", new SnapshotRetention(3, 4))) {
            for (int i = 1; i <= 20; i++) {
                state[i * SectionPages.PAGE]++;
                news.onOrders(i, i - 1 == 0 ? SnapshotSchedule.NONE : i - 1, i - 2);
                snapshots.save(
                        i, "tables", List.of(new Snapshot.Section("state", MemorySegment.ofArray(state.clone()))), 0);
                assertEquals("", outcome().text());
                int clock = i;
                List<Long> held = held(folder);
                IntStream.range(Math.max(1, i - 3), i + 1)
                        .forEach(wanted -> assertTrue(held.contains((long) wanted), wanted + " of " + held));
                assertTrue(held.size() <= 3 * (1 + 4), "at " + clock + " too much is kept: " + held);
            }
            try (Arena arena = Arena.ofConfined()) {
                assertArrayEquals(state, folder.read(20, arena).bytes("state"));
            }
        }
    }

    /** A node that restarts at a clock keeps the earlier snapshots that may still be restored. */
    @Test
    void theHistoryBeforeTheStartIsKept() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("worker-3"));
        for (long clock = 1; clock <= 6; clock++) {
            List<Long> before = LongStream.range(1, clock).boxed().toList();
            folder.save(new Snapshot(7, "worker 3", clock, "terms", "tables", before, STATE));
        }
        news.onOrders(6, 6, 5);
        try (NodeSnapshots snapshots = snapshots(folder, "worker 3", new SnapshotRetention(4, 0))) {
            save(snapshots, 7, 6, 5);
        }
        assertEquals(List.of(7L, 6L, 5L, 4L, 3L), held(folder));
    }

    /** The clock with which a job begins may be logged: it has no file, and displaces none. */
    @Test
    void aLoggedClockAtTheStartIsNoCommit() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("worker-7"));
        folder.save(new Snapshot(7, "worker 7", 10, "terms", "tables", List.of(), STATE));
        folder.save(new Snapshot(7, "worker 7", 20, "terms", "tables", List.of(10L), STATE));
        news.onOrders(27, 27, 20);
        try (NodeSnapshots snapshots = snapshots(folder, "worker 7", new SnapshotRetention(2, 0))) {
            save(snapshots, 30, 27, 20);
            assertEquals(List.of(30L, 20L, 10L), held(folder));
            save(snapshots, 40, 30, 27);
            assertEquals(List.of(40L, 30L, 20L), held(folder));
        }
    }

    /** A snapshot abandoned before the restart cannot be restored and displaces no other. */
    @Test
    void snapshotsGivenUpBeforeTheStartAreNoHistory() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("worker-4"));
        SnapshotRetention two = new SnapshotRetention(2, 0);
        try (NodeSnapshots snapshots = snapshots(folder, "worker 4", two)) {
            save(snapshots, 10, SnapshotSchedule.NONE, SnapshotSchedule.NONE);
            save(snapshots, 20, 10, SnapshotSchedule.NONE);
            save(snapshots, 30, 20, 10); // abandoned because of another node
            save(snapshots, 40, 20, 10);
        }
        news.onOrders(40, 40, 20);
        try (NodeSnapshots snapshots = snapshots(folder, "worker 4", two)) {
            save(snapshots, 50, 40, 20);
        }
        assertEquals(List.of(50L, 40L, 20L), held(folder));
    }

    /** If more were kept, nodes could not know after a restart that no snapshot was ever committed. */
    @Test
    void beforeTheFirstCommitAtMostOneSnapshotIsKept() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("worker-5"));
        try (NodeSnapshots snapshots = snapshots(folder, "worker 5", new SnapshotRetention(2, 31))) {
            for (long clock = 10; clock <= 40; clock += 10) {
                save(snapshots, clock, SnapshotSchedule.NONE, SnapshotSchedule.NONE);
                assertEquals(List.of(clock), held(folder));
            }
        }
    }

    /** If any one file is damaged, one of the last two commits can still be read. */
    @Test
    @Tag("slow")
    void noFileIsNeededByBothOfTheLastTwoCommits() {
        Property.holds(5, random -> {
            Path path = temporary.resolve("server-" + random.nextInt(1_000_000));
            SnapshotFolder folder = SnapshotFolder.open(path);
            byte[] state = new byte[60 * SectionPages.PAGE];
            random.nextBytes(state);
            long committed = SnapshotSchedule.NONE;
            long previous = SnapshotSchedule.NONE;
            news.onOrders(SnapshotSchedule.NONE, committed, previous);
            try (NodeSnapshots snapshots = snapshots(folder, "server 0", new SnapshotRetention(2, random.nextInt(9)))) {
                for (long clock = 1; clock <= 25; clock++) {
                    state[random.nextInt(state.length)]++;
                    news.onOrders(clock, committed, previous);
                    snapshots.save(
                            clock,
                            "tables",
                            List.of(new Snapshot.Section("s", MemorySegment.ofArray(state.clone()))),
                            0);
                    assertEquals("", outcome().text());
                    if (random.nextInt(4) > 0) { // the others are abandoned
                        previous = committed;
                        committed = clock;
                    }
                    requireOneOf(List.of(committed, previous), folder, path);
                }
            }
        });
    }

    private static void requireOneOf(List<Long> commits, SnapshotFolder folder, Path path) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(path)) {
            files = all.toList();
        }
        for (Path file : commits.contains(SnapshotSchedule.NONE) ? List.<Path>of() : files) {
            byte[] whole = Files.readAllBytes(file);
            byte[] damaged = whole.clone();
            damaged[damaged.length / 2] ^= 1;
            Files.write(file, damaged);
            List<Long> left = held(folder);
            assertTrue(commits.stream().anyMatch(left::contains), "without " + file + " of " + files + ": " + left);
            Files.write(file, whole);
        }
    }

    private NodeSnapshots snapshots(SnapshotFolder folder, String node, SnapshotRetention retention) {
        return new NodeSnapshots(
                folder, news, 7, node, "terms", retention, SnapshotMeter.NONE, SystemNanoClock.INSTANCE, _ -> {});
    }

    private static List<Long> held(SnapshotFolder folder) {
        return folder.held(sentence -> {}).stream()
                .map(SnapshotFolder.Held::clock)
                .toList();
    }

    private void save(NodeSnapshots snapshots, long clock, long committed, long previous) {
        news.onOrders(clock, committed, previous);
        snapshots.save(clock, "tables", STATE, 0);
        assertEquals("", outcome().text());
    }

    private SnapshotNews.Outcome outcome() {
        Deadline.await("an outcome", () -> null != news.next());
        SnapshotNews.Outcome outcome = news.next();
        news.sent();
        return outcome;
    }
}
