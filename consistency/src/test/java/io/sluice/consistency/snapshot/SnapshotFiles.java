package io.sluice.consistency.snapshot;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.snapshot.Snapshot.Section;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Inspects and damages snapshots on disk. */
public final class SnapshotFiles {
    private SnapshotFiles() {}

    /** Whether a node has a complete snapshot; it may have no folder yet. */
    public static boolean exist(Path node) {
        String[] files = node.toFile().list((_, name) -> name.endsWith(".snapshot"));
        return files != null && files.length > 0;
    }

    /** Whether a node has files that build on others. */
    public static boolean hasIncrements(Path node) {
        try (Stream<Path> files = Files.list(node)) {
            return files.anyMatch(file -> SnapshotSchedule.NONE != parentOf(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long parentOf(Path file) {
        try {
            return SnapshotFile.parentOf(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces the state in all snapshots of a folder by that of the oldest; each keeps its clock. */
    public static void holdTheOldest(Path node) {
        SnapshotFolder folder = SnapshotFolder.open(node);
        List<SnapshotFolder.Held> held = folder.held(damage -> {});
        assertTrue(held.size() >= 2, held + " are held");
        long oldest = held.getLast().clock();
        try (Arena arena = Arena.ofConfined()) {
            StoredSnapshot state = folder.read(oldest, arena);
            SnapshotLink link = SnapshotFile.read(node.resolve("%012d.snapshot".formatted(oldest)), arena);
            List<Section> sections = link.parts().stream()
                    .map(part -> new Section(part.name(), MemorySegment.ofArray(state.bytes(part.name()))))
                    .toList();
            for (SnapshotFolder.Held each : held) {
                folder.save(new Snapshot(each.run(), link.node(), each.clock(), link.terms(), link.tables(), sections));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
