package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The report of {@code --json}. */
@Timeout(400)
class ReportTest {
    private static final List<String> NAMES = List.of(
            "workload",
            "dataset",
            "workers",
            "servers",
            "consistency",
            "protocol",
            "filter",
            "delta",
            "policy",
            "compressor",
            "link_rate",
            "compression",
            "transport",
            "clocks",
            "final_loss",
            "test_accuracy",
            "first_clock_seconds",
            "seconds",
            "bytes_pushed",
            "bytes_broadcast",
            "bytes_peer",
            "bytes_relayed",
            "frames_pushed",
            "frames_broadcast",
            "frames_early",
            "dense_bytes",
            "exact_bytes",
            "kept_fraction",
            "replicas_identical",
            "replica_hash",
            "max_staleness",
            "residual_max_abs",
            "last_threshold",
            "frames_rejected");

    @Test
    void containsAllOptionsAndResults() {
        JsonNode report = LrRun.report(
                "--workers",
                3,
                "--servers",
                2,
                "--clocks",
                25,
                "--features",
                1 << 16,
                "--consistency",
                "ssp:2",
                "--delta",
                0.2,
                "--compress",
                "lz4");
        assertEquals(
                List.of(),
                NAMES.stream().filter(name -> !report.hasNonNull(name)).toList(),
                "missing of " + report.toPrettyString());
        assertEquals("lr", report.get("workload").asText());
        assertEquals("spam-assassin", report.get("dataset").asText());
        assertEquals(3, report.get("workers").asInt());
        assertEquals(2, report.get("servers").asInt());
        assertEquals("ssp:2", report.get("consistency").asText());
        assertEquals("update", report.get("protocol").asText());
        assertEquals("dvf", report.get("filter").asText());
        assertEquals(0.2, report.get("delta").asDouble());
        assertEquals("dvf:0.2", report.get("policy").asText());
        assertEquals("lz4", report.get("compressor").asText());
        assertEquals(1_000_000_000, report.get("link_rate").asLong());
        assertEquals("ipc", report.get("transport").asText());
        assertEquals(25, report.get("clocks").asInt());

        assertTrue(report.get("replicas_identical").asBoolean());
        assertTrue(report.get("replica_hash").asText().matches("[0-9a-f]{64}"));
        assertTrue(report.get("final_loss").asDouble() < Math.log(2));
        assertTrue(report.get("test_accuracy").asDouble() > 0.9);
        assertTrue(report.get("seconds").asDouble() > 0);
        assertTrue(report.get("first_clock_seconds").asDouble() > 0);
        assertTrue(report.get("max_staleness").asLong() <= 2);
        assertEquals(0, report.get("frames_rejected").asLong());
        assertEquals(0, report.get("nodes_started_again").asInt());
        assertEquals(0.2 / 5, report.get("last_threshold").asDouble(), 1e-6);
        assertTrue(report.get("residual_max_abs").asDouble()
                <= report.get("last_threshold").asDouble());
        assertTrue(report.get("kept_fraction").asDouble() > 0
                && report.get("kept_fraction").asDouble() < 0.5);
        assertTrue(report.get("frames_pushed").asLong() > 0);
        long tried = 0;
        for (JsonNode row : report.get("compression")) {
            assertEquals("lz4", row.get("compressor").asText());
            assertTrue(row.get("frames_compressed").asLong()
                    <= row.get("frames_tried").asLong());
            tried += row.get("frames_tried").asLong();
        }
        assertTrue(tried >= report.get("frames_pushed").asLong(), "frames tried: " + tried);
        assertTrue(LrRun.moved(report) < report.get("exact_bytes").asLong());
        assertTrue(
                report.get("exact_bytes").asLong() < report.get("dense_bytes").asLong());
    }

    /** On any tree and any number of routes, each worker receives each broadcast once, with the same bits. */
    @Test
    @Tag("slow")
    void countsWhatRelaysSend() {
        long flat = 0;
        String hash = "";
        for (String tree : List.of("flat", "stripes")) {
            JsonNode report = LrRun.report(
                    "--workers",
                    3,
                    "--servers",
                    2,
                    "--clocks",
                    25,
                    "--features",
                    1 << 16,
                    "--transport",
                    "udp",
                    "--compress",
                    "none",
                    "--tree",
                    tree);
            long broadcast = report.get("bytes_broadcast").asLong();
            long relayed = report.get("bytes_relayed").asLong();
            if ("flat".equals(tree)) {
                assertEquals(0, relayed);
                flat = broadcast;
                hash = LrRun.hash(report);
            } else {
                assertEquals(hash, LrRun.hash(report), tree);
                assertTrue(broadcast < 0.7 * flat && relayed > 0.3 * flat, tree + ": " + relayed + " of " + flat);
                // Frames that are in flight when a worker reports its end are not counted.
                assertEquals(flat, broadcast + relayed, 0.1 * flat, tree);
            }
        }
    }
}
