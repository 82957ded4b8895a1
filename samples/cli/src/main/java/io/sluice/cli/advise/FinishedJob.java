package io.sluice.cli.advise;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.codecs.api.ValueType;
import io.sluice.samples.data.DataFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the figures of a clock from the report of a whole job. */
public final class FinishedJob {
    private static final String EXPECTED = "; expected a report of sluice train --json";

    private static final List<String> FIELDS = List.of(
            "workload",
            "iterations",
            "workers",
            "servers",
            "elements_offered",
            "kept_fraction",
            "policy",
            "broadcast_policy",
            "link_rate",
            "seconds",
            "compute_seconds",
            "push_seconds",
            "bytes_pushed",
            "bytes_broadcast",
            "bytes_relayed",
            "workers_finished",
            "workers_lost",
            "nodes_started_again",
            "job_started_again");

    /** Terms that advise reads as they are. */
    private static final List<String> TERMS =
            List.of("workers", "servers", "transport", "protocol", "consistency", "tree", "values", "slice");

    /** Terms that reports of earlier versions lack. */
    private static final List<String> LATER = List.of("order", "cores");

    private FinishedJob() {}

    /**
     * Reads what {@code sluice train --json} has written.
     *
     * @throws DataFormatException if the file is something else, or the job was disturbed, so that its totals mean
     *     nothing
     */
    public static ObjectNode read(Path file) throws IOException {
        JsonNode report = json(file);
        for (String field : FIELDS) {
            require(file, report, field);
        }
        requireUndisturbed(file, report);
        ObjectNode figures = new ObjectMapper().createObjectNode();
        for (String term : TERMS) {
            require(file, report, term);
            figures.set(term, report.get(term));
        }
        for (String term : LATER) {
            if (report.hasNonNull(term)) {
                figures.set(term, report.get(term));
            }
        }
        requireType(file, report.get("values").asText());
        double clocks = report.get("iterations").asDouble();
        double each = clocks * report.get("workers").asDouble();
        if (!(each > 0)) {
            throw new DataFormatException(file + " has " + report.get("iterations") + " iterations of "
                    + report.get("workers") + " workers, expected at least one of each");
        }
        double received = report.get("bytes_broadcast").asDouble()
                + report.get("bytes_relayed").asDouble();
        return figures.put(
                        "parameters",
                        Math.max(1, Math.round(report.get("elements_offered").asLong() / each)))
                .put("kept", report.get("kept_fraction").asDouble())
                .put("link_rate", report.get("link_rate").asLong())
                .put("clock_seconds", report.get("seconds").asDouble() / clocks)
                .put("compute_seconds", report.get("compute_seconds").asDouble() / clocks)
                .put("push_seconds", report.get("push_seconds").asDouble() / clocks)
                .put("pushed_bytes", report.get("bytes_pushed").asDouble() / each)
                .put("received_bytes", received / each)
                .put("filters", !report.get("policy").asText().equals("none"))
                .put("filters_broadcasts", report.get("policy").equals(report.get("broadcast_policy")));
    }

    private static JsonNode json(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new DataFormatException(file + " is a folder" + EXPECTED);
        }
        try {
            return new ObjectMapper().readTree(Files.readAllBytes(file));
        } catch (JacksonException e) {
            throw new DataFormatException(file + " is not JSON" + EXPECTED, e);
        }
    }

    private static void require(Path file, JsonNode report, String field) {
        if (!report.hasNonNull(field)) {
            throw new DataFormatException(file + " has no field " + field + EXPECTED);
        }
    }

    private static void requireType(Path file, String name) {
        try {
            ValueType.named(name);
        } catch (IllegalArgumentException e) {
            throw new DataFormatException(file + ": " + e.getMessage() + "; advise takes one type for all tables", e);
        }
    }

    private static void requireUndisturbed(Path file, JsonNode report) {
        int again = report.get("nodes_started_again").asInt()
                + report.get("job_started_again").asInt();
        int finished = report.get("workers_finished").asInt();
        String disturbance = again > 0
                ? "nodes were started again"
                : !report.get("workers_lost").isEmpty()
                        ? "workers were lost"
                        : finished != report.get("workers").asInt()
                                ? "workers joined or left"
                                : report.path("restored").asBoolean() ? "the training continued from a snapshot" : "";
        if (!disturbance.isEmpty()) {
            throw new DataFormatException(file + " is the report of a job in which " + disturbance
                    + ", so its averages over the clocks do not describe a usual clock; expected a report of an"
                    + " undisturbed job, or watch the job with --running");
        }
    }
}
