package io.sluice.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.CompressionReport;
import io.sluice.consistency.server.ServerReport;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventLinesTest {
    private final EventLines lines = new EventLines();

    static Stream<NodeEvent> events() {
        String hash = "0123456789abcdef".repeat(4);
        CompressionReport compression = new CompressionReport(
                List.of(new CompressionReport.Row("bitmap f32", "zstd", 9, 8, 7L << 40, 6L << 40, 5, 4, 1)));
        return Stream.of(
                new NodeEvent.Clock(0, 1, 0.69314, 0, 0),
                new NodeEvent.Clock(65_533, Integer.MAX_VALUE, Double.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE),
                new NodeEvent.Clock(1, 2, Double.POSITIVE_INFINITY, 3, 4),
                new NodeEvent.Evaluated(2, 9, Map.of("train_error", 1e9, "test_rmse", Double.NaN)),
                new NodeEvent.WorkerDone(
                        0,
                        hash,
                        1.5,
                        0.5,
                        2.5,
                        4,
                        5,
                        2,
                        6,
                        14,
                        11,
                        12,
                        7L << 40,
                        8,
                        9,
                        0.0070710f,
                        0.0070711f,
                        0,
                        "vector",
                        compression),
                new NodeEvent.WorkerDone(
                        3,
                        hash,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        Float.MIN_VALUE,
                        12,
                        "scalar",
                        CompressionReport.NOTHING),
                new NodeEvent.ServerDone(
                        1, 2, 0, 3, 4.5f, Float.MAX_VALUE, 6, 7, compression, List.of(new ServerReport.Loss(2, 7))),
                new NodeEvent.Started("server 1"),
                new NodeEvent.Joined("worker 3"),
                new NodeEvent.Refused("there is no \"snapshot\""));
    }

    private String written(NodeEvent event) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        lines.write(new PrintStream(bytes, true, StandardCharsets.UTF_8), event);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("events")
    void readsWhatItWrote(NodeEvent event) {
        String line = written(event);
        assertEquals(1, line.lines().count());
        assertTrue(line.endsWith(System.lineSeparator()));
        assertEquals(event, lines.read(line.strip()));
    }

    @Test
    void namesTheEvent() {
        String line = written(new NodeEvent.Clock(1, 2, 0.5, 0, 3));
        assertTrue(line.startsWith("{\"event\":\"clock\","), line);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "SLF4J: no providers were found.",
                "{",
                "{}",
                "[]",
                "42",
                "{\"event\":\"birthday\"}",
                "{\"event\":\"clock\",\"worker\":\"first\"}",
                "\u0000\uFFFD"
            })
    void otherLinesAreNoEvents(String line) {
        assertNull(lines.read(line));
    }
}
