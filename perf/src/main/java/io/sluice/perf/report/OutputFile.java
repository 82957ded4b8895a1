package io.sluice.perf.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file that a command writes at its end. It is refused at the start if it cannot be written, and never left
 * half-written.
 */
public final class OutputFile {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private OutputFile() {}

    /**
     * Refuses a path that cannot be written to, before measurements of minutes are lost.
     *
     * @throws IllegalArgumentException if its folder is missing or closed, or it is itself a folder
     */
    public static void check(String option, Path file) {
        Path folder = file.toAbsolutePath().getParent();
        String problem = null;
        if (Files.isDirectory(file)) {
            problem = "is a folder, expected a file";
        } else if (!Files.isDirectory(folder)) {
            problem = "the folder " + folder + " does not exist";
        } else if (!Files.isWritable(folder) || Files.exists(file) && !Files.isWritable(file)) {
            problem = "cannot be written to";
        }
        if (problem != null) {
            throw new IllegalArgumentException(option + " " + file + ": " + problem);
        }
    }

    /**
     * Writes an object as JSON, atomically; records choose the names of their fields.
     *
     * @param file the path; replaced if it exists
     * @throws IOException if that fails; the path is then unchanged
     */
    public static void writeJson(Path file, Object object) throws IOException {
        write(file, JSON.writeValueAsBytes(object));
    }

    /**
     * Writes a file atomically.
     *
     * @param file the path; replaced if it exists
     * @throws IOException if that fails; the path is then unchanged
     */
    public static void write(Path file, byte[] content) throws IOException {
        Path partial = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.write(partial, content);
            Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(partial);
        }
    }
}
