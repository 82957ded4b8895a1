package io.sluice.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs {@code sluice train lr} to its end and reads its JSON report. */
final class LrRun {
    private LrRun() {}

    /** The report of a run that must succeed and leave no files or processes behind. */
    static JsonNode report(Object... options) {
        return report(Cli.plain(), options);
    }

    /** The report of such a run with another JVM or environment. */
    static JsonNode report(Cli cli, Object... options) {
        try {
            Path json = Files.createTempFile("report", ".json");
            try (CliRun run = cli.start(train(json, options))) {
                run.assertFine();
                return new ObjectMapper().readTree(json.toFile());
            } finally {
                Files.deleteIfExists(json);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object[] train(Path json, Object... options) {
        List<Object> arguments = new ArrayList<>(List.of("train", "lr", "--json", json));
        arguments.addAll(Arrays.asList(options));
        return arguments.toArray();
    }

    /** The hash of the replicas. */
    static String hash(JsonNode report) {
        return report.get("replica_hash").asText();
    }

    /** Bytes sent by all nodes: pushed, broadcast and relayed. */
    static long moved(JsonNode report) {
        return report.get("bytes_pushed").asLong()
                + report.get("bytes_broadcast").asLong()
                + report.get("bytes_relayed").asLong();
    }
}
