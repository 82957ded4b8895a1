package io.sluice.perf.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The harness with an experiment that measures nothing. */
final class ExperimentRunTest {
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, 16).help("Workers");
    private static final Parameter<List<Double>> KEPT =
            Parameter.share("kept", 1).several("1.0,0.2").help("Share");
    private static final Parameter<Boolean> SLOW = Parameter.flag("slow").help("Take longer");

    @TempDir
    private Path folder;

    private final List<String> turns = new ArrayList<>();
    private final StringWriter screen = new StringWriter();
    private final PrintWriter out = new PrintWriter(screen, true);
    private int failAt = Integer.MAX_VALUE;
    private boolean closed;
    private boolean grouped;

    private final Scenario scenario = new Scenario(
            "sums",
            List.of("Adds up."),
            2,
            List.of(WORKERS, KEPT, SLOW),
            new Layout(
                    row -> "sums of " + row.text("workers"),
                    Column.list(
                            Column.fact("name").shown("name"),
                            Column.fact("workers"),
                            Column.median("seconds").shown("ms", "%.1f", 1e3).note("of a turn"),
                            Column.high("seconds_high", "seconds"),
                            Column.percentile("p95", "seconds", 95),
                            Column.sum("dropped").whole(),
                            Column.count("count", "seconds"),
                            Column.series("clock"),
                            Column.series("loss"),
                            Column.max("missing", "missing").shown("never", "%.1f"),
                            Column.derived(
                                    "ratio",
                                    (row, rows) -> row.number("seconds")
                                            / rows.getFirst().number("seconds"))),
                    List.of(new Curves(
                            "loss",
                            row -> "loss",
                            new Curves.Axis("clock", "clocks", 1),
                            new Curves.Axis("loss", "loss", 1),
                            row -> row.text("name")))),
            settings -> new Sums(settings));

    private final class Sums extends Experiment<String> {
        private final int workers;

        Sums(Settings settings) {
            super(settings);
            workers = get(WORKERS);
        }

        @Override
        public List<String> variants() {
            return List.of("a", "b", "c", "a");
        }

        /** A second group after three rows. */
        @Override
        public List<String> next(List<Row> rows) {
            return grouped && rows.size() == 3 ? List.of("d") : List.of();
        }

        @Override
        public int warmUps() {
            return 1;
        }

        @Override
        public List<Sample> measure(String variant) {
            turns.add(variant);
            int turn = turns.size();
            if (turn == failAt) {
                throw new IllegalStateException("a node failed");
            }
            return List.of(new Sample()
                    .fact("name", variant)
                    .fact("workers", workers)
                    .figure("seconds", turn, turn + 1)
                    .figure("dropped", 2)
                    .figure("clock", 1, 2)
                    .figure("loss", 1, turn));
        }

        @Override
        public List<String> conclusions(List<Row> rows) {
            return List.of(rows.size() + " rows");
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private void run(Path json, Map<String, String> given) throws IOException, InterruptedException {
        new ExperimentRun(scenario, new Settings(scenario, given), "sums", json, null, out, out).run();
    }

    private static List<String> names(Report report) {
        return report.rows().stream().map(row -> row.text("name")).toList();
    }

    /** A drift of the machine affects all variants equally. A variant that is named twice runs once. */
    @Test
    void everyOtherRoundRunsBackwards() throws IOException, InterruptedException {
        run(null, Map.of());
        assertEquals("abccbaabc", String.join("", turns));
        assertTrue(closed);
    }

    @Test
    void groupsTakeTheirTurnsOneAfterTheOther() throws IOException, InterruptedException {
        grouped = true;
        Path json = folder.resolve("sums.json");
        run(json, Map.of());
        assertEquals("abccbaabcddd", String.join("", turns));
        assertEquals(List.of("a", "b", "c", "d"), names(Report.read(json)));
    }

    /** The table shows rates, packets and rounds next to the figures, and omits a column that no row has. */
    @Test
    void saysUnderWhichParametersItMeasured() throws IOException, InterruptedException {
        run(null, Map.of("workers", "3"));
        assertTrue(screen.toString().contains("workers 3; kept 1.0,0.2; rounds 2"), screen::toString);
        assertFalse(screen.toString().contains("never"), screen::toString);
    }

    /** Only turns 4 to 9 count. Row b was measured in turns 5 and 8, with the values 5, 6, 8 and 9. */
    @Test
    void aggregatesAllTurnsThatCount() throws IOException, InterruptedException {
        Path json = folder.resolve("sums.json");
        run(json, Map.of("workers", "3"));
        Report report = Report.read(json);
        assertEquals(List.of("a", "b", "c"), names(report));
        Row b = report.rows().get(1);
        assertEquals(7, b.number("seconds"));
        assertEquals(8.25, b.number("seconds_high"));
        assertEquals(9, b.number("p95"));
        assertEquals(4, b.get("dropped"));
        assertEquals(4, b.get("count"));
        assertEquals(List.of(1.0, 6.5), b.get("loss"));
        assertNull(b.get("missing"));
        assertEquals(1, b.number("ratio"));
        assertEquals(Map.of("workers", "3", "kept", "1.0,0.2", "slow", "false", "rounds", "2"), report.parameters());
        assertEquals(List.of("3 rows"), report.recommendations());
        assertEquals(6, report.turns());
        assertTrue(screen.toString().contains("sums of 3"), screen::toString);
        assertTrue(screen.toString().contains("  ms  of a turn"), screen::toString);
    }

    @Test
    void anInterruptedRunKeepsWhatItHas() throws IOException {
        Path json = folder.resolve("sums.json");
        failAt = 6;
        assertThrows(IllegalStateException.class, () -> run(json, Map.of()));
        assertEquals(List.of("b", "c"), names(Report.read(json)));
        assertEquals(2, Report.read(json).turns());
        assertTrue(closed);
    }

    @ParameterizedTest
    @CsvSource({
        "workers, -3, '--workers is -3, expected 1 to 16'",
        "workers, x, '--workers is x, expected 1 to 16'",
        "rounds, 0, '--rounds is 0, expected 1 to 1000'",
        "kept, '1,NaN', '--kept is NaN, expected more than 0, up to 1'",
        "slow, maybe, '--slow is maybe, expected true or false'",
        "nodes, 3, 'scenario sums has no parameter ''nodes'', expected one of '",
    })
    void refusesValuesByOneSentence(String name, String value, String message) {
        Map<String, String> given = Map.of(name, value);
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> new Settings(scenario, given));
        assertTrue(refusal.getMessage().startsWith(message), refusal::getMessage);
    }

    @Test
    void refusesAFileThatCannotBeWrittenBeforeItMeasures() {
        Path json = folder.resolve("missing").resolve("sums.json");
        assertThrows(IllegalArgumentException.class, () -> run(json, Map.of()));
        assertEquals(List.of(), turns);
    }

    /** A measurement writes files with the figure's name; the figure can be drawn again from the result. */
    @Test
    void aFigureIsMeasuredAndDrawn() throws IOException {
        System.setProperty("java.awt.headless", "true");
        Path scenarios = Files.createDirectories(folder.resolve("docs/scenarios"));
        Files.writeString(scenarios.resolve("first.yaml"), """
            description: The first figure
            scenario: sums
            parameters: {workers: 2, rounds: 1, kept: [1, 0.5]}
            """);
        assertEquals(0, execute("run", "first"));
        Report report = Report.read(folder.resolve("docs/results/first.json"));
        assertEquals("sluice perf run first", report.command());
        assertEquals("1,0.5", report.parameters().get("kept"));
        Path plot = folder.resolve("docs/plots/first.svg");
        Files.delete(plot);
        turns.clear();
        assertEquals(0, execute("figures"));
        assertTrue(Files.size(plot) > 0);
        assertEquals(List.of(), turns);
        assertEquals(0, execute("list"));
        assertTrue(screen.toString().contains("The first figure"), screen::toString);
        assertNotEquals(0, execute("run", "second"));
    }

    @ParameterizedTest
    @CsvSource({
        "sums, 'scenario: sums'",
        "first, 'scenario: differences'",
        "first, 'workers: 3'",
        "first, 'scenario: [sums'",
        "first, '{scenario: sums, workers: 3}'",
        "first, '{scenario: sums, parameters: {workers: 17}}'",
    })
    void refusesAScenarioFileThatIsWrong(String name, String text) throws IOException {
        Path scenarios = Files.createDirectories(folder.resolve("docs/scenarios"));
        Files.writeString(scenarios.resolve(name + ".yaml"), text);
        CommandLine line = line();
        List<String> refusals = new ArrayList<>();
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            refusals.add(exception.getMessage());
            return exception instanceof IllegalArgumentException ? 2 : 70;
        });
        assertEquals(2, line.execute("list"), refusals::toString);
    }

    private int execute(String... words) {
        return line().execute(words);
    }

    private CommandLine line() {
        CommandLine line = new CommandLine(new RunCommand(List.of(scenario), folder));
        line.setOut(out);
        line.setErr(out);
        return line;
    }
}
