package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice train lda}. */
@Timeout(400)
class LdaJobTest {
    private static final List<String> NAMES = List.of(
            "workload",
            "dataset",
            "passes",
            "topics",
            "log_likelihood",
            "perplexity",
            "passes_log_likelihood",
            "rule",
            "workers",
            "seconds",
            "bytes_pushed",
            "bytes_broadcast",
            "replicas_identical");

    @TempDir
    private Path folder;

    private JsonNode report(String options) throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = Cli.plain().start((Object[]) ("train lda --json " + json + " " + options).split(" "))) {
            run.assertFine();
            return new ObjectMapper().readTree(json.toFile());
        }
    }

    /** Made-up texts in the format of {@code sluice data brown}: of the words of one of two topics each. */
    private Path texts() throws IOException {
        Random random = new Random(1);
        for (int text = 1; text <= 40; text++) {
            StringBuilder words = new StringBuilder();
            for (int i = 0; i < 50; i++) {
                int word = random.nextInt(20) + 20 * (text % 2);
                words.append("word")
                        .append((char) ('a' + word / 20))
                        .append((char) ('a' + word % 20))
                        .append("/nn ");
            }
            Files.writeString(folder.resolve("ca%02d".formatted(text)), words.append('\n'));
        }
        Path stopWords = Files.createDirectory(folder.resolve("stop"));
        Files.writeString(stopWords.resolve("words.json"), "[\"wordaa\"]");
        return stopWords;
    }

    @Tag("slow")
    @Test
    void meetsTheReferenceBitForBitAndLearns() throws IOException {
        String training = "--stop-words " + texts() + " --data " + folder
                + " --topics 4 --passes 12 --clocks-per-pass 2 --workers 3";
        JsonNode reference = report(training + " --reference");
        JsonNode job = report(training + " --servers 2");
        assertEquals(
                List.of(), NAMES.stream().filter(name -> !job.hasNonNull(name)).toList());
        for (String same : List.of("replica_hash", "log_likelihood", "perplexity", "passes_log_likelihood")) {
            assertEquals(reference.get(same), job.get(same), same);
        }
        assertEquals("lda", job.get("workload").asText());
        assertEquals("brown", job.get("dataset").asText());
        assertEquals(39, job.get("vocabulary").asInt());
        assertEquals(4, job.get("topics").asInt());
        assertEquals(12, job.get("passes_log_likelihood").size());
        assertTrue(
                job.get("log_likelihood").asDouble()
                        > job.get("passes_log_likelihood").get(0).asDouble(),
                job::toPrettyString);
        assertTrue(job.get("perplexity").asDouble() < 30, job::toPrettyString);
    }

    /** The planted data of the default, with processes, and from the newest snapshot, which has the topics of words. */
    @Test
    @Tag("slow")
    void meetsTheReferenceWithProcessesAndFromASnapshot() throws IOException {
        String training = "--topics 10 --passes 3 --clocks-per-pass 2 --workers 2 --servers 1";
        JsonNode reference = report(training + " --reference");
        String snapshots = " --snapshots " + folder.resolve("snapshots") + " --snapshot-every 4";
        JsonNode job = report(training + snapshots);
        assertEquals("planted", job.get("dataset").asText());
        assertEquals(reference.get("replica_hash"), job.get("replica_hash"));
        JsonNode resumed = report(training + snapshots + " --restore");
        assertEquals(reference.get("replica_hash"), resumed.get("replica_hash"));
        assertEquals(reference.get("log_likelihood"), resumed.get("log_likelihood"));
        assertTrue(resumed.get("passes_log_likelihood").get(0).isNull(), resumed::toPrettyString);
    }
}
