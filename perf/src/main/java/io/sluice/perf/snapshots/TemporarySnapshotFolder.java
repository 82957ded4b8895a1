package io.sluice.perf.snapshots;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.IoUtil;

/** A folder for the snapshots of one run, which is removed when the run ends. */
final class TemporarySnapshotFolder implements AutoCloseable {
    private final Path folder;

    /** Creates the folder inside another. */
    TemporarySnapshotFolder(Path parent) {
        try {
            folder = Files.createTempDirectory(parent, "sluice-snapshots");
        } catch (IOException e) {
            throw new IllegalArgumentException("--folder " + parent + " cannot be written to: " + e.getMessage(), e);
        }
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() {
        IoUtil.delete(folder.toFile(), false);
    }
}
