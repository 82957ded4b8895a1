package io.sluice.spark;

import io.sluice.consistency.terms.ClusterSettings;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The snapshots of a job.
 *
 * @param folder   absolute path of a folder that all executors share
 * @param interval interval between two snapshots, as {@code ServerContext.takeSnapshots} reads it
 * @param restore  whether the first attempt continues from snapshots
 */
record KeptSnapshots(String folder, String interval, boolean restore) implements Serializable {
    Path path() {
        return Path.of(folder);
    }

    /**
     * Checks, in the driver, that a second attempt would not continue another job.
     *
     * @throws IllegalArgumentException if the terms exclude snapshots, or there are snapshots that are not wanted
     */
    void check(ClusterSettings terms) {
        terms.requireFitForSnapshots();
        if (!restore && Files.isDirectory(path()) && hasSnapshots()) {
            throw new IllegalArgumentException(
                    "the folder " + folder + " holds snapshots, expected none: restore them, or name another folder");
        }
    }

    private boolean hasSnapshots() {
        try (Stream<Path> files = Files.walk(path(), 2)) {
            return files.anyMatch(file -> file.toString().endsWith(".snapshot"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
