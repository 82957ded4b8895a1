package io.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that names a file for the result. */
final class ReportFile {
    @Option(names = "--json", paramLabel = "FILE", description = "Write the result as one JSON object.")
    private Path json;

    /**
     * Checks the path before the job, which takes minutes.
     *
     * @throws IllegalArgumentException if the file cannot be written
     */
    void check() {
        requireWritable("--json", json);
    }

    /** Checks the path of an option, which may be null. */
    static void requireWritable(String option, Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !Files.isWritable(folder)) {
            throw new IllegalArgumentException(option + " " + file + ": the folder " + folder + " "
                    + (Files.isDirectory(folder) ? "cannot be written to" : "does not exist"));
        }
        if (Files.isDirectory(file)) {
            throw new IllegalArgumentException(option + " " + file + " is a folder, expected a file");
        }
        if (!mayWrite(file)) {
            throw new IllegalArgumentException(option + " " + file + " cannot be written to");
        }
    }

    /**
     * Whether a file can be written to. An existing file is not opened: it may be a pipe, whose reader would read its
     * end.
     */
    private static boolean mayWrite(Path file) {
        if (Files.exists(file)) {
            return Files.isWritable(file);
        }
        try {
            Files.delete(Files.createFile(file));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Writes the result, if the option is given. */
    void write(JsonNode report) throws IOException {
        if (json != null) {
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(json.toFile(), report);
        }
    }
}
