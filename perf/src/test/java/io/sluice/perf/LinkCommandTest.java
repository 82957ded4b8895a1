package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code perf link} from end to end, over real streams of a driver of its own, without warm-up. */
@Timeout(300)
final class LinkCommandTest {
    private static final List<String> KEYS = List.of(
            "mode",
            "channel",
            "size",
            "unit",
            "ours",
            "raw",
            "ratio",
            "p99_ratio",
            "raw_checked",
            "ratio_to_raw_checked",
            "ours_sealing",
            "p50_us",
            "p99_us",
            "p999_us",
            "raw_p50_us",
            "raw_p99_us",
            "raw_p999_us",
            "frames_per_second",
            "raw_frames_per_second",
            "wanted_rate",
            "rate_met",
            "raw_rate_met",
            "allocated_per_frame",
            "raw_allocated_per_frame");

    @TempDir
    private Path folder;

    @BeforeAll
    static void withoutDisplay() {
        System.setProperty("java.awt.headless", "true");
    }

    private JsonNode rows(String mode, String channel, Object... more) throws IOException {
        Path json = folder.resolve("link.json");
        List<Object> line = new ArrayList<>(
                List.of("link", "--mode", mode, "--channel", channel, "--quick", "--rounds", 1, "--json", json));
        line.addAll(List.of(more));
        PerfRun run = PerfRun.of(line.toArray());
        assertEquals(ExitCode.OK, run.exitCode(), run::toString);
        assertTrue(run.out().contains(mode + " over " + channel), run::toString);
        int busy = 2 + new Driver.Context().threading().threads();
        assertEquals(
                busy > Runtime.getRuntime().availableProcessors(),
                run.out().contains("are " + busy + " busy threads on "),
                run::toString);
        JsonNode rows = PerfRun.json(json).get("rows");
        for (JsonNode row : rows) {
            KEYS.forEach(key -> assertTrue(row.has(key), key + " is missing in " + row));
            assertEquals(mode, row.get("mode").asText());
            assertEquals(channel, row.get("channel").asText());
            double ours = row.get("ours").asDouble();
            double raw = row.get("raw").asDouble();
            assertTrue(ours > 0 && raw > 0, row::toString);
            assertEquals(ours / raw, row.get("ratio").asDouble(), 1e-9);
        }
        return rows;
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"ipc", "udp"})
    void throughput(String channel) throws IOException {
        JsonNode rows = rows(
                "throughput", channel, "--one-jvm", "--size", "64kib,64,1024", "--plot", folder.resolve("plot.svg"));
        assertEquals(3, rows.size());
        assertEquals(64, rows.get(0).get("size").asInt());
        assertEquals(65_536, rows.get(2).get("size").asInt());
        for (JsonNode row : rows) {
            assertEquals("MB/s", row.get("unit").asText());
            assertEquals(
                    row.get("ours").asDouble() * 1e6,
                    row.get("frames_per_second").asDouble() * row.get("size").asInt(),
                    row.get("ours").asDouble() * 1e3);
            assertTrue(row.get("p50_us").isNull() && row.get("rate_met").isNull(), row::toString);
        }
        assertTrue(Files.readString(folder.resolve("plot.svg")).contains("<svg"));
    }

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"rtt,ipc", "open-loop,udp"})
    void latenciesAreInTheLogAndThePlot(String mode, String channel) throws IOException {
        Path hlog = folder.resolve("link.hlog");
        JsonNode rows = rows(
                mode, channel, "--one-jvm", "--size", "64,65536", "--hlog", hlog, "--plot", folder.resolve("plot.png"));
        assertEquals(2, rows.size());
        Map<String, Histogram> logged = logged(hlog);
        assertEquals(8, logged.size(), logged.keySet()::toString);
        for (JsonNode row : rows) {
            assertEquals("us", row.get("unit").asText());
            int size = row.get("size").asInt();
            Histogram ours = logged.get("ours-" + channel + "-" + size);
            Histogram raw = logged.get("raw-" + channel + "-" + size);
            assertEquals(ours.getTotalCount(), raw.getTotalCount());
            assertEquals(ours.getValueAtPercentile(50) / 1e3, row.get("p50_us").asDouble(), 1e-6);
            assertEquals(
                    ours.getValueAtPercentile(99.9) / 1e3, row.get("p999_us").asDouble(), 1e-6);
            assertEquals(
                    raw.getValueAtPercentile(99) / 1e3, row.get("raw_p99_us").asDouble(), 1e-6);
            assertEquals(mode.equals("open-loop"), row.get("rate_met").isBoolean(), row::toString);
            assertTrue(Files.size(folder.resolve("plot-" + channel + "-" + size + ".png")) > 0);
        }
    }

    /** Returns the sum of each tag's intervals; checks that HdrHistogram's own reader gets them with their times. */
    private static Map<String, Histogram> logged(Path hlog) throws IOException {
        Map<String, Histogram> byTag = new TreeMap<>();
        try (HistogramLogReader reader = new HistogramLogReader(hlog.toFile())) {
            while (reader.hasNext()) {
                Histogram interval = (Histogram) reader.nextIntervalHistogram();
                assertTrue(interval.getEndTimeStamp() >= interval.getStartTimeStamp());
                byTag.merge(interval.getTag(), interval, (all, next) -> {
                    all.add(next);
                    return all;
                });
            }
        }
        return byTag;
    }

    /** The stall of a rate that is too high is in the latencies of all later frames. */
    @Test
    @Tag("slow")
    void latenciesGrowUpToSaturation() throws IOException {
        JsonNode rows = rows(
                "open-loop",
                "ipc",
                "--one-jvm",
                "--size",
                65_472,
                "--rate",
                "500,1000000",
                "--plot",
                folder.resolve("plot.svg"));
        assertEquals(2, rows.size());
        assertEquals(500, rows.get(0).get("wanted_rate").asDouble());
        assertEquals(1_000_000, rows.get(1).get("wanted_rate").asDouble());
        assertFalse(rows.get(1).get("rate_met").asBoolean(), rows::toString);
        assertTrue(
                rows.get(1).get("p50_us").asDouble() > rows.get(0).get("p50_us").asDouble(), rows::toString);
        for (String stack : List.of("raw", "raw-crc", "ours", "ours-crc")) {
            assertTrue(Files.readString(folder.resolve("plot-ipc-65472-" + stack + ".svg"))
                    .contains("<svg"));
        }
    }

    @Test
    @Tag("trial")
    void anUnreachableRateIsReportedAsNotMet() throws IOException {
        // 500,000 frames of 65,472 bytes a second are 33 GB a second.
        JsonNode row = rows("open-loop", "udp", "--one-jvm", "--size", 65_472, "--rate", 500_000)
                .get(0);
        assertEquals(500_000, row.get("wanted_rate").asDouble());
        assertFalse(row.get("rate_met").asBoolean(), row::toString);
        assertFalse(row.get("raw_rate_met").asBoolean(), row::toString);
    }

    @Test
    @Tag("trial")
    void stacksInJvmsOfTheirOwn() throws IOException {
        JsonNode row = rows("rtt", "ipc", "--size", 256).get(0);
        assertTrue(row.get("p50_us").asDouble() > 0 && row.get("raw_p50_us").asDouble() > 0, row::toString);
    }

    @Test
    void theDriverAndItsDirectoryAreGoneAfterwards() throws IOException {
        rows("throughput", "ipc", "--one-jvm", "--size", 64);
        Path parent = new Driver.Context().directory().getParent();
        String own = "sluice-perf-link-" + ProcessHandle.current().pid();
        try (Stream<Path> entries = Files.list(parent)) {
            assertFalse(entries.anyMatch(entry -> entry.getFileName().toString().equals(own)));
        }
    }
}
