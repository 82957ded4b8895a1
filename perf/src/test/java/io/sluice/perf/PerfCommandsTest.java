package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands from end to end, on small tables and without warm-up. */
@Timeout(300)
final class PerfCommandsTest {
    private static final List<String> KEYS = List.of(
            "kernel",
            "elements",
            "kept",
            "kept_measured",
            "data",
            "threads",
            "width_bits",
            "values",
            "format",
            "compressor",
            "milliseconds",
            "elements_per_second",
            "quartile_low",
            "quartile_high",
            "ratio_to_axpy",
            "ratio_to_scalar",
            "bytes_out",
            "bits_per_kept",
            "bytes_ratio_to_dense",
            "bytes_ratio_to_paper",
            "speed_ratio_to_paper");

    @TempDir
    private Path folder;

    @BeforeAll
    static void withoutDisplay() {
        System.setProperty("java.awt.headless", "true");
    }

    @Tag("slow")
    @Test
    void filterWritesTableJsonAndPlots() throws IOException {
        Path json = folder.resolve("filter.json");
        PerfRun run = PerfRun.of(
                "filter",
                "--quick",
                "--one-jvm",
                "--rounds",
                1,
                "--size",
                "16kib,2^10",
                "--kept",
                "0,0.1,1",
                "--values",
                "f32,bf16",
                "--threads",
                2,
                "--json",
                json,
                "--plot",
                folder.resolve("plot.png"));
        assertEquals(ExitCode.OK, run.exitCode(), run::toString);
        assertTrue(run.out().contains("0.1 of the elements to be kept"), run::toString);
        JsonNode report = PerfRun.json(json);
        assertEquals(
                "sluice perf filter --quick --one-jvm --rounds 1",
                report.get("command").asText().substring(0, 47));
        assertTrue(report.get("machine").get("cores").asInt() >= 1);
        JsonNode rows = report.get("rows");
        assertSchema(rows);
        assertEquals(Set.of(1_024L, 4_096L), longs(rows, "elements"));
        for (JsonNode row : rows) {
            assertSound(row);
        }
        for (String plot : List.of("speed-4096-elements", "size-4096-elements", "speed-1024-elements")) {
            assertTrue(Files.size(folder.resolve("plot-" + plot + ".png")) > 0, plot);
        }
    }

    private static void assertSound(JsonNode row) {
        String kernel = row.get("kernel").asText();
        double rate = row.get("elements_per_second").asDouble();
        assertTrue(rate > 0, row::toString);
        assertTrue(row.get("quartile_low").asDouble() <= rate
                && rate <= row.get("quartile_high").asDouble());
        if (kernel.equals("axpy")) {
            assertEquals(1, row.get("ratio_to_axpy").asDouble());
            assertEquals(1, row.get("ratio_to_axpy_low").asDouble());
            assertTrue(row.get("bytes_out").isNull()
                    && row.get("speed_ratio_to_paper").isNull());
        }
        boolean alternates =
                Set.of("filter-bitmap", "filter", "apply", "add-encode").contains(kernel);
        if (alternates) {
            double ratio = row.get("ratio_to_axpy").asDouble();
            assertTrue(row.get("ratio_to_axpy_low").asDouble() <= ratio
                    && ratio <= row.get("ratio_to_axpy_high").asDouble());
        }
        if (kernel.equals("branching-loop")) {
            assertTrue(row.get("ratio_to_axpy").isNumber());
            assertEquals(1, row.get("ratio_to_scalar").asDouble());
        }
        if (kernel.equals("paper-snappy")) {
            assertEquals(1, row.get("bytes_ratio_to_paper").asDouble(), 1e-9);
            assertEquals(1, row.get("speed_ratio_to_paper").asDouble());
        }
        if (kernel.equals("filter")) {
            double dense = 4.0 * row.get("elements").asLong();
            assertEquals(
                    row.get("bytes_out").asLong() / dense,
                    row.get("bytes_ratio_to_dense").asDouble(),
                    1e-3);
            assertEquals(row.get("kept").asDouble(), row.get("kept_measured").asDouble(), 0.06);
        }
    }

    @Test
    @Tag("slow")
    void codecWritesTableJsonPlotsAndAdvice() throws IOException {
        Path json = folder.resolve("codec.json");
        PerfRun run = PerfRun.of(
                "codec",
                "--quick",
                "--one-jvm",
                "--rounds",
                1,
                "--kept",
                "0.1",
                "--values",
                "f32,log8",
                "--compressors",
                "none,snappy",
                "--link",
                "1gbit",
                "--data",
                "laplace",
                "--json",
                json,
                "--plot",
                folder.resolve("codec.svg"));
        assertEquals(ExitCode.OK, run.exitCode(), run::toString);
        JsonNode report = PerfRun.json(json);
        assertSchema(report.get("rows"));
        // Two directions of five formats, two types and two compressors.
        assertEquals(2 * 5 * 2 * 2, report.get("rows").size());
        assertEquals(2, report.get("recommendations").size());
        assertTrue(report.get("recommendations").get(1).asText().startsWith("0.1 kept, 1gbit: fastest is"));
        assertTrue(run.out().contains(report.get("recommendations").get(0).asText()), run::toString);
        for (String plot : List.of("codec-size.svg", "codec-encode.svg", "codec-decode.svg")) {
            assertTrue(Files.readString(folder.resolve(plot)).contains("<svg"), plot);
        }
        for (JsonNode row : report.get("rows")) {
            assertTrue(row.get("ratio_to_axpy").isNull()
                    && row.get("ratio_to_scalar").isNull());
            assertTrue(row.get("bytes_out").asLong() > 0);
        }
    }

    @Test
    void recordedUpdatesAreMeasured() throws IOException {
        Path updates = folder.resolve("dense.f32");
        PerfRun recorded = PerfRun.of("record", "dense", "--out", updates, "--clocks", 3, "--after", 2, "--hidden", 4);
        assertEquals(ExitCode.OK, recorded.exitCode(), recorded::toString);
        int parameters = 4 * 785 + 10 * 5;
        assertEquals(3L * parameters * Float.BYTES, Files.size(updates));
        assertTrue(recorded.out().contains("--data " + updates + " --clocks 3"), recorded::toString);
        Path json = folder.resolve("filter.json");
        PerfRun run = PerfRun.of(
                "filter",
                "--quick",
                "--one-jvm",
                "--rounds",
                4,
                "--data",
                updates,
                "--clocks",
                3,
                "--kept",
                0.1,
                "--values",
                "f32",
                "--json",
                json);
        assertEquals(ExitCode.OK, run.exitCode(), run::toString);
        for (JsonNode row : PerfRun.json(json).get("rows")) {
            assertEquals("dense.f32", row.get("data").asText());
            assertEquals(parameters / 64 * 64, row.get("elements").asInt());
        }
    }

    @Test
    @Tag("trial")
    void benchmarksInJvmsOfTheirOwnFilterTheSame() throws IOException {
        JsonNode forked = filterRows("--rounds", 1);
        JsonNode together = filterRows("--one-jvm", "--rounds", 1);
        assertEquals(together.size(), forked.size());
        for (int i = 0; i < forked.size(); i++) {
            for (String key : List.of("kernel", "values", "format", "kept_measured", "bytes_out", "elements")) {
                assertEquals(together.get(i).get(key), forked.get(i).get(key), key);
            }
        }
    }

    private JsonNode filterRows(Object... more) throws IOException {
        Path json = folder.resolve("rows.json");
        Object[] line = new Object[9 + more.length];
        List<Object> common =
                List.of("filter", "--quick", "--size", "1mib", "--kept", 0.1, "--threads", 2, "--json=" + json);
        System.arraycopy(common.toArray(), 0, line, 0, common.size());
        System.arraycopy(more, 0, line, common.size(), more.length);
        PerfRun run = PerfRun.of(line);
        assertEquals(ExitCode.OK, run.exitCode(), run::toString);
        return PerfRun.json(json).get("rows");
    }

    private static void assertSchema(JsonNode rows) {
        assertFalse(rows.isEmpty());
        for (JsonNode row : rows) {
            for (String key : KEYS) {
                assertTrue(row.has(key), key + " is missing in " + row);
            }
            assertNull(row.get("elementsPerSecond"));
        }
    }

    private static Set<Long> longs(JsonNode rows, String key) {
        Set<Long> values = new TreeSet<>();
        rows.forEach(row -> values.add(row.get(key).asLong()));
        return values;
    }
}
