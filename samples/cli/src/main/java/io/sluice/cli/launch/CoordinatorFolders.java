package io.sluice.cli.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.IoUtil;

/** The folders in which the coordinators of a job on one host keep their logs while the job lasts. */
public final class CoordinatorFolders implements AutoCloseable {
    private final Path root;

    /**
     * Creates the temporary folder that contains them.
     *
     * @throws IOException if it cannot be created
     */
    public CoordinatorFolders() throws IOException {
        root = Files.createTempDirectory("sluice-coordinators-");
    }

    /**
     * The folder of one coordinator.
     *
     * @param member number of the coordinator
     * @return its folder
     */
    public Path of(int member) {
        return root.resolve("member-" + member);
    }

    @Override
    public void close() {
        IoUtil.delete(root.toFile(), true);
    }
}
