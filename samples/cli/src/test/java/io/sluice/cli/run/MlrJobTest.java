package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code train mlr} as a whole job. */
@Timeout(300)
class MlrJobTest {
    @TempDir
    private Path folder;

    private JsonNode report(String options) throws IOException {
        Path json = folder.resolve("report.json");
        try (CliRun run = Cli.plain().start((Object[]) ("train mlr --json " + json + " " + options).split(" "))) {
            run.assertFine();
            return new ObjectMapper().readTree(json.toFile());
        }
    }

    @Test
    void meetsTheReferenceBitForBitAndLearns() throws IOException {
        MadeUpImages.write(folder, "train", 2_000);
        MadeUpImages.write(folder, "t10k", 300);
        String training = "--data " + folder + " --clocks 60 --batch 16 --workers 3";
        JsonNode reference = report(training + " --reference");
        JsonNode job = report(training + " --servers 2");
        assertEquals(reference.get("replica_hash"), job.get("replica_hash"));
        for (String same : new String[] {"loss", "test_accuracy"}) {
            assertEquals(reference.get(same), job.get(same), same);
        }
        assertEquals("mlr", job.get("workload").asText());
        assertEquals("fashion-mnist", job.get("dataset").asText());
        assertEquals("sum", job.get("rule").asText());
        assertTrue(job.get("replicas_identical").asBoolean());
        assertTrue(job.get("test_accuracy").asDouble() > 0.9, job::toString);
    }

    /** Texts of a few words of their own, as tagged words. */
    private void texts() throws IOException {
        for (int text = 0; text < 12; text++) {
            StringBuilder words = new StringBuilder();
            for (int i = 0; i < 400; i++) {
                char own = (char) ('a' + (text + i % 3) % 12);
                words.append("word").append(own).append("/nn the/at ");
            }
            Files.writeString(folder.resolve("ca%02d".formatted(text + 1)), words);
        }
        Files.writeString(folder.resolve("words.json"), "[\"the\"]");
    }

    @Tag("slow")
    @Test
    void learnsFromSparseTexts() throws IOException {
        texts();
        String brown = "--data " + folder + " --stop-words " + folder + " --workers 2 --batch 8 ";
        JsonNode job = report(brown + "--processes");
        assertEquals(report(brown + "--reference").get("replica_hash"), job.get("replica_hash"));
        assertEquals("brown", job.get("dataset").asText());
        assertEquals(12, job.get("classes").asInt());
        assertEquals(12, job.get("features").asInt());
        assertTrue(job.get("test_accuracy").asDouble() > 0.9, job::toString);
        JsonNode planted = report("--classes 20 --features 300 --examples 200 --batch 16 --reference");
        assertEquals("planted", planted.get("dataset").asText());
        assertTrue(planted.get("test_accuracy").asDouble() > 0.5, planted::toString);
    }

    /** Vectors of sparse and of dense examples give the bits of a single process that adds them one after the other. */
    @Tag("slow")
    @Test
    void exchangesVectors() throws IOException {
        texts();
        String texts = "--data " + folder + " --stop-words " + folder + " --workers 2 --batch 8 --factors all ";
        JsonNode job = report(texts + "--processes");
        assertEquals(report(texts + "--reference").get("replica_hash"), job.get("replica_hash"));
        assertEquals("all", job.get("factors").asText());
        assertTrue(job.get("replicas_identical").asBoolean());
        assertTrue(job.get("test_accuracy").asDouble() > 0.9, job::toString);
        assertTrue(job.get("vector_bytes").asLong() > 0, job::toString);
        assertTrue(job.get("update_bytes").asLong() > 0, job::toString);
        JsonNode selected = report(texts.replace("all", "power:4") + "--consistency ssp:2");
        assertTrue(selected.get("replicas_identical").asBoolean());
        assertTrue(selected.get("test_accuracy").asDouble() > 0.8, selected::toString);
        assertTrue(selected.get("bytes_pushed").asLong() > 0, selected::toString);
    }

    /** Of sparse texts, vectors take at most a fifteenth of the bytes of the updates' exact non-zeros. */
    @Tag("trial")
    @Test
    void vectorsOfSparseTextsAreShort() throws IOException {
        String texts = "--classes 500 --features 13000 --examples 2000 --batch 100 --clocks 3 --workers 2 ";
        long nonZeros = bytes(report(texts + "--filter none --broadcast-filter none"));
        long vectors = bytes(report(texts + "--factors all"));
        assertTrue(15 * vectors <= nonZeros, vectors + " bytes of vectors, " + nonZeros + " of non-zeros");
    }

    private static long bytes(JsonNode job) {
        return job.get("bytes_pushed").asLong() + job.get("bytes_broadcast").asLong();
    }

    /** {@code kill -9} of all processes between two snapshots: the job repeats no clock that all nodes have logged. */
    @Test
    @Tag("slow")
    void continuesFromTheLastLoggedClock() throws IOException {
        String job = "--classes 100 --features 2000 --examples 500 --workers 2 --batch 2 --factors all --clocks 900 ";
        JsonNode undisturbed = report(job);
        String snapshots = job + "--processes --snapshots " + folder.resolve("snapshots") + " --snapshot-every 300 ";
        Path files = folder.resolve("snapshots");
        try (CliRun run = Cli.plain().start((Object[]) ("train mlr " + snapshots).split(" "))) {
            Until.isSo(Duration.ofMinutes(1), () -> hasLog(files) || !run.isAlive(), () -> "a log of " + run);
            run.processes().forEach(ProcessHandle::destroyForcibly);
            run.kill();
            run.assertFamilyEnds();
        }
        long last = lastLoggedByAll(files);
        assertNotEquals(0, last % 300, "a clock between two snapshots");
        try (CliRun run = Cli.plain().start((Object[])
                ("train mlr --json " + folder.resolve("restored.json") + " " + snapshots + "--restore").split(" "))) {
            run.assertFine();
            Matcher clock = Pattern.compile("continuing from clock (\\d+)").matcher(run.err());
            assertTrue(clock.find(), run::toString);
            assertEquals(last, Long.parseLong(clock.group(1)), "the last clock that all have logged");
            JsonNode restored =
                    new ObjectMapper().readTree(folder.resolve("restored.json").toFile());
            assertEquals(undisturbed.get("replica_hash"), restored.get("replica_hash"));
        }
    }

    /** The last clock that the logs of all nodes have. */
    private static long lastLoggedByAll(Path snapshots) throws IOException {
        Map<Path, Long> lastOfNode = new HashMap<>();
        try (Stream<Path> files = Files.walk(snapshots)) {
            for (Path log : files.filter(MlrJobTest::isLog).toList()) {
                lastOfNode.merge(log.getParent(), lastOf(log), Math::max);
            }
        }
        assertEquals(4, lastOfNode.size(), lastOfNode + "");
        return Collections.min(lastOfNode.values());
    }

    /**
     * The last clock of a log: magic number, run, clock of the snapshot; then records, each with the length of its
     * content, a checksum, its clock and the content. The last record may lack a part.
     */
    private static long lastOf(Path log) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(log)).order(ByteOrder.LITTLE_ENDIAN);
        int header = 2 * Long.BYTES;
        int at = header + Long.BYTES;
        long last = bytes.getLong(header);
        while (at + header <= bytes.limit() && at + header + bytes.getInt(at) <= bytes.limit()) {
            last = bytes.getLong(at + Long.BYTES);
            at += header + bytes.getInt(at);
        }
        return last;
    }

    /** Whether the four nodes have a snapshot, and a worker has logged some clocks since its own. */
    private static boolean hasLog(Path snapshots) {
        try (Stream<Path> files = Files.walk(snapshots)) {
            List<Path> all = files.toList();
            long saved = all.stream()
                    .filter(file -> file.toString().endsWith(".snapshot"))
                    .count();
            return saved >= 4 && all.stream().anyMatch(MlrJobTest::isLong);
        } catch (IOException | UncheckedIOException e) {
            return false; // there is no folder yet, or a file was deleted in the meantime
        }
    }

    private static boolean isLong(Path file) {
        return isLog(file) && file.toFile().length() > 50_000;
    }

    private static boolean isLog(Path file) {
        return file.toString().endsWith(".log");
    }

    /** Vectors between workers give the bits of vectors by servers; a partial multicast learns as well. */
    @Tag("slow")
    @Test
    void exchangesVectorsBetweenWorkers() throws IOException {
        texts();
        String texts = "--data " + folder + " --stop-words " + folder + " --workers 3 --batch 8 --factors all ";
        JsonNode peers = report(texts + "--protocol peer --processes");
        assertEquals(report(texts + "--servers 2").get("replica_hash"), peers.get("replica_hash"));
        assertEquals("peer", peers.get("protocol").asText());
        assertTrue(peers.get("replicas_identical").asBoolean());
        assertTrue(peers.get("bytes_peer").asLong() > 0, peers::toString);
        assertEquals(0, peers.get("frames_broadcast").asLong(), "servers hold nothing");
        JsonNode partial = report(texts + "--protocol peer --multicast random:1;sync=8;rotate=3");
        assertEquals("random:1;sync=8;rotate=3", partial.get("multicast").asText());
        assertTrue(partial.get("bytes_peer").asLong() < peers.get("bytes_peer").asLong(), partial::toString);
        assertTrue(partial.get("test_accuracy").asDouble() > 0.9, partial::toString);
    }

    @Tag("slow")
    @Test
    void exchangesVectorsOfDenseExamples() throws IOException {
        MadeUpImages.write(folder, "train", 500);
        MadeUpImages.write(folder, "t10k", 100);
        String training = "--data " + folder + " --clocks 40 --batch 8 --batches 2 --workers 3 --factors all";
        assertEquals(
                report(training + " --reference").get("replica_hash"),
                report(training + " --servers 2").get("replica_hash"));
    }
}
