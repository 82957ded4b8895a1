package io.sluice.perf.failure;

import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.IoUtil;

/** A temporary folder for the snapshots of one run, which is removed when the run ends. */
final class SnapshotFolder implements AutoCloseable {
    static final Parameter<Path> PARENT = Parameter.path("folder", "DIR")
            .help("Parent of the temporary folder for snapshots; by default that of temporary files");

    private final Path folder;

    /** Creates the folder, and refuses a parent that cannot be written to. */
    SnapshotFolder(Settings settings) {
        Path given = settings.get(PARENT);
        Path parent = given == null ? Path.of(System.getProperty("java.io.tmpdir")) : given;
        try {
            folder = Files.createTempDirectory(parent, "sluice-snapshots");
        } catch (IOException e) {
            throw new IllegalArgumentException("--folder " + parent + " cannot be written to: " + e.getMessage(), e);
        }
    }

    Path path() {
        return folder;
    }

    @Override
    public void close() {
        IoUtil.delete(folder.toFile(), false);
    }
}
