package io.sluice.cli.advise;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.codecs.api.ValueType;
import io.sluice.samples.data.DataFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a source says of a job; {@code null} for what it does not say. Seconds and bytes are those of one worker in one
 * clock.
 */
public record Known(
        Integer workers,
        Integer servers,
        Long parameters,
        Boolean sharesMemory,
        Double computeSeconds,
        Double pushSeconds,
        Double clockSeconds,
        Double pushedBytes,
        Double receivedBytes,
        Double kept,
        ValueType values,
        Integer slice,
        String consistency,
        String tree,
        Boolean pull) {
    /** Nothing. */
    public static final Known NOTHING =
            new Known(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    private static final String EXPECTED = "; expected a report of sluice train --json";

    private static final List<String> FIELDS = List.of(
            "workload",
            "workers",
            "servers",
            "iterations",
            "elements_offered",
            "kept_fraction",
            "transport",
            "seconds",
            "compute_seconds",
            "push_seconds",
            "bytes_pushed",
            "bytes_broadcast",
            "bytes_relayed",
            "values",
            "slice",
            "consistency",
            "tree",
            "protocol");

    /**
     * Reads what {@code sluice train --json} has written.
     *
     * @throws DataFormatException if the file is something else
     */
    public static Known ofReport(Path file) throws IOException {
        JsonNode report = read(file);
        for (String field : FIELDS) {
            if (!report.hasNonNull(field)) {
                throw new DataFormatException(file + " has no field " + field + EXPECTED);
            }
        }
        double clocks = report.get("iterations").asInt();
        double each = clocks * report.get("workers").asInt();
        return new Known(
                report.get("workers").asInt(),
                report.get("servers").asInt(),
                Math.max(1, Math.round(report.get("elements_offered").asLong() / each)),
                "ipc".equals(report.get("transport").asText()),
                report.get("compute_seconds").asDouble() / clocks,
                report.get("push_seconds").asDouble() / clocks,
                report.get("seconds").asDouble() / clocks,
                report.get("bytes_pushed").asDouble() / each,
                (report.get("bytes_broadcast").asDouble()
                                + report.get("bytes_relayed").asDouble())
                        / each,
                report.get("kept_fraction").asDouble(),
                values(file, report.get("values").asText()),
                report.get("slice").asInt(),
                report.get("consistency").asText(),
                report.get("tree").asText(),
                "push-pull".equals(report.get("protocol").asText()));
    }

    private static JsonNode read(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new DataFormatException(file + " is a folder" + EXPECTED);
        }
        try {
            return new ObjectMapper().readTree(Files.readAllBytes(file));
        } catch (JacksonException e) {
            throw new DataFormatException(file + " is not JSON" + EXPECTED, e);
        }
    }

    private static ValueType values(Path file, String name) {
        try {
            return ValueType.named(name);
        } catch (IllegalArgumentException e) {
            throw new DataFormatException(file + ": " + e.getMessage() + "; advise takes one type for all tables", e);
        }
    }
}
