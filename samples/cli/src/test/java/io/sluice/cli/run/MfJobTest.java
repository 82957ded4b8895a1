package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice train mf}. */
@Timeout(400)
class MfJobTest {
    private static final List<String> NAMES = List.of(
            "workload",
            "dataset",
            "passes",
            "train_error",
            "test_rmse",
            "passes_train_error",
            "passes_test_rmse",
            "rule",
            "workers",
            "seconds",
            "bytes_pushed",
            "bytes_broadcast",
            "replicas_identical");

    @TempDir
    private Path folder;

    private JsonNode report(Object... options) throws IOException {
        Path json = folder.resolve("report.json");
        List<Object> command = new ArrayList<>(List.of("train", "mf", "--json", json));
        command.addAll(Arrays.asList(options));
        try (CliRun run = Cli.plain().start(command.toArray())) {
            run.assertFine();
            return new ObjectMapper().readTree(json.toFile());
        }
    }

    /** Made-up ratings in the format of {@code sluice data movielens}. */
    private Path ratings() throws IOException {
        Random random = new Random(1);
        StringBuilder lines = new StringBuilder("userId,movieId,rating,timestamp\n");
        for (int user = 1; user <= 30; user++) {
            for (int film = 1 + user % 2; film <= 80; film += 2) {
                double taste = (user % 3 - 1) * (film % 5 - 2);
                lines.append("%d,%d,%.1f,%d\n".formatted(user, 100 * film, 3 + taste / 2, random.nextInt(1 << 30)));
            }
        }
        Files.writeString(folder.resolve("ratings.csv"), lines);
        return folder;
    }

    @Tag("slow")
    @Test
    void meetsTheReferenceBitForBitWithThreadsAndLearns() throws IOException {
        Object[] training = {
            "--data", ratings(), "--rank", 6, "--passes", 40, "--clocks-per-pass", 2, "--learning-rate", 0.02
        };
        JsonNode reference = report(with(training, "--workers", 3, "--reference"));
        JsonNode job = report(with(training, "--workers", 3, "--servers", 2));
        assertEquals(
                List.of(), NAMES.stream().filter(name -> !job.hasNonNull(name)).toList());
        assertEquals(reference.get("replica_hash"), job.get("replica_hash"));
        for (String same : List.of("train_error", "test_rmse", "passes_train_error", "passes_test_rmse")) {
            assertEquals(reference.get(same), job.get(same), same);
        }
        assertEquals("mf", job.get("workload").asText());
        assertEquals("movielens", job.get("dataset").asText());
        assertEquals("sum", job.get("rule").asText());
        assertEquals("none", job.get("filter").asText());
        assertEquals(3, job.get("workers").asInt());
        assertEquals(40, job.get("passes").asInt());
        assertEquals(40, job.get("passes_train_error").size());
        assertEquals(job.get("train_error"), job.get("passes_train_error").get(39));
        double first = job.get("passes_train_error").get(0).asDouble();
        double last = job.get("train_error").asDouble();
        assertTrue(last < first / 2, first + " to " + last);
        assertTrue(job.get("replicas_identical").asBoolean());
    }

    private static Object[] with(Object[] options, Object... more) {
        List<Object> all = new ArrayList<>(Arrays.asList(options));
        all.addAll(Arrays.asList(more));
        return all.toArray();
    }

    /** With processes, and from the newest snapshot. */
    @Test
    @Tag("slow")
    void meetsTheReferenceWithProcessesAndFromASnapshot() throws IOException {
        Object[] training = {
            "--data", ratings(), "--rank", 6, "--passes", 3, "--clocks-per-pass", 4, "--workers", 2, "--servers", 1
        };
        JsonNode reference = report(with(training, "--reference"));
        Object[] snapshots = {"--snapshots", folder.resolve("snapshots"), "--snapshot-every", 2};
        JsonNode job = report(with(training, snapshots));
        assertEquals(reference.get("replica_hash"), job.get("replica_hash"));
        JsonNode resumed = report(with(with(training, snapshots), "--restore"));
        assertEquals(reference.get("replica_hash"), resumed.get("replica_hash"));
        assertEquals(reference.get("train_error"), resumed.get("train_error"));
        for (int pass = 0; pass < 3; pass++) {
            JsonNode error = resumed.get("passes_train_error").get(pass);
            assertTrue(
                    error.isNull()
                            || error.equals(reference.get("passes_train_error").get(pass)),
                    resumed::toPrettyString);
        }
    }
}
