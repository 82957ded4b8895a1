package io.sluice.consistency.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Deadline;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeSnapshotsTest {
    private static final List<Snapshot.Section> STATE =
            List.of(new Snapshot.Section("state", MemorySegment.ofArray(new byte[100])));

    @TempDir
    private Path temporary;

    private final SnapshotNews news = new SnapshotNews(SnapshotSchedule.NONE, SnapshotSchedule.NONE);

    /** As with a disk that is full: a folder in the way of the file fails everybody, root included. */
    @Test
    void aSnapshotThatCannotBeWrittenIsToldOfAndTheNextIsTaken() throws IOException {
        Path path = temporary.resolve("worker-0");
        SnapshotFolder folder = SnapshotFolder.open(path);
        try (NodeSnapshots snapshots =
                new NodeSnapshots(folder, news, 7, "worker 0", "terms", SystemNanoClock.INSTANCE)) {
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

    /** Two commits stay, and what is being written; what was given up between goes. */
    @Test
    void whatMayBeNeededIsKept() {
        SnapshotFolder folder = SnapshotFolder.open(temporary.resolve("worker-1"));
        try (NodeSnapshots snapshots =
                new NodeSnapshots(folder, news, 7, "worker 1", "terms", SystemNanoClock.INSTANCE)) {
            save(snapshots, 10, SnapshotSchedule.NONE, SnapshotSchedule.NONE);
            save(snapshots, 20, 10, SnapshotSchedule.NONE);
            save(snapshots, 30, 20, 10); // and is given up, because of another node
            save(snapshots, 40, 20, 10);
        }
        List<Long> held = folder.held(sentence -> {}).stream()
                .map(SnapshotFolder.Held::clock)
                .toList();
        assertEquals(List.of(40L, 20L, 10L), held);
    }

    private void save(NodeSnapshots snapshots, long clock, long committed, long previous) {
        news.told(clock, committed, previous);
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
