package io.sluice.perf.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A report for programs.
 *
 * @param command the command line that made it
 * @param machine where
 * @param rows the figures, records with names in snake case
 * @param recommendations sentences drawn from them; may be empty
 */
public record JsonReport(String command, Machine machine, List<?> rows, List<String> recommendations) {
    /**
     * Writes it as one JSON object.
     *
     * @param file to write to
     * @throws IOException if that fails
     */
    public void write(Path file) throws IOException {
        OutputFile.write(
                file,
                new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(this));
    }
}
