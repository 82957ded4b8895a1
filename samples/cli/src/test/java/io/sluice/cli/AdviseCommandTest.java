package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class AdviseCommandTest {
    private static final String STATED = "--parameters 6100000 --workers 4 --servers 2 --link-rate 100mbit";

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int advise(Object... arguments) {
        CommandLine line = Sluice.commandLine(CommandLine.defaultFactory(), new Failures());
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        for (CommandLine command : line.getSubcommands().values()) {
            command.setOut(line.getOut());
            command.setErr(line.getErr());
        }
        List<String> words = new ArrayList<>(List.of("advise"));
        for (Object argument : arguments) {
            words.addAll(List.of(argument.toString().split(" ")));
        }
        return line.execute(words.toArray(String[]::new));
    }

    private JsonNode advice(Object... arguments) throws IOException {
        Path json = folder.resolve("advice.json");
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--json", json));
        assertEquals(ExitCode.OK, advise(all.toArray()), err::toString);
        return new ObjectMapper().readTree(json.toFile());
    }

    private static double gain(JsonNode advice, String change) {
        return lever(advice, change).get("gain").asDouble();
    }

    private static JsonNode lever(JsonNode advice, String change) {
        return StreamSupport.stream(advice.get("levers").spliterator(), false)
                .filter(lever -> lever.get("change").asText().contains(change))
                .findFirst()
                .orElseThrow(() -> new AssertionError(change + " in " + advice.toPrettyString()));
    }

    private Path report(String field, Object value) throws IOException {
        ObjectNode report = (ObjectNode) new ObjectMapper().readTree("""
            {"workload": "lr", "workers": 4, "servers": 2, "iterations": 200, "elements_offered": 838860800,
             "kept_fraction": 0.0079, "transport": "ipc", "seconds": 2.4, "compute_seconds": 0.9, "push_seconds": 0.6,
             "bytes_pushed": 63000000, "bytes_broadcast": 62000000, "bytes_relayed": 0, "values": "f32",
             "slice": 16320, "consistency": "bsp", "tree": "auto", "protocol": "update"}
            """);
        report.putPOJO(field, value);
        return Files.writeString(folder.resolve("report.json"), report.toString());
    }

    /** Four dense updates of 24.4 MB over a server's two links of 100 Mbit/s take 4.1 s with headers. */
    @Test
    void aJobWhoseLinksAreBusyGainsByFewerBytes() throws IOException {
        JsonNode advice = advice(STATED, "--compute", "100ms");
        assertEquals(4.2, advice.get("clock_seconds").asDouble(), 0.1, out::toString);
        assertTrue(gain(advice, "density:0.1") > 0.8, out::toString);
        assertEquals(0.48, gain(advice, "bf16"), 0.03, out::toString);
        assertEquals(0.02, gain(advice, "ssp:1"), 0.02, out::toString);
        assertTrue(out.toString().contains("Most gains 16 local steps"), out::toString);
        assertTrue(out.toString().contains("It changes the result"), out::toString);
    }

    @Test
    void aJobThatComputesIsLeftAsItIs() throws IOException {
        JsonNode advice = advice(STATED, "--compute", "200s");
        assertTrue(advice.get("advice").asText().startsWith("Leave it as it is"), out::toString);
        assertTrue(gain(advice, "density:0.1") < 0.05, out::toString);
    }

    /** One clock of computing hides an exchange that is as long. */
    @Test
    void stalenessGainsMostWhereComputingTakesAsLongAsTheLinks() throws IOException {
        JsonNode advice = advice(STATED, "--compute", "4100ms");
        assertEquals(0.5, gain(advice, "ssp:1"), 0.03, out::toString);
        assertTrue(gain(advice, "order layer") > 0.2, out::toString);
        assertTrue(gain(advice, "order layer")
                < lever(advice, "order layer").get("most_gain").asDouble());
    }

    /** A report over UDP needs the rate of the links; what they do not explain is stated. */
    @Test
    void aReportOverUdpNeedsTheRateOfTheLinks() throws IOException {
        Path report = report("transport", "udp");
        assertEquals(ExitCode.USAGE, advise(report), err::toString);
        assertTrue(err.toString().startsWith("sluice: some figures are missing, state them with --link-rate"));
        JsonNode advice = advice(report, "--link-rate", "1gbit");
        assertEquals("auto", advice.get("job").get("setup").get("tree").asText());
        assertEquals(0.012, advice.get("clock_seconds").asDouble(), 1e-6);
        assertTrue(advice.get("other_seconds").asDouble() > 0.001, out::toString);
        assertTrue(advice.get("remark").asText().contains("neither computing nor messages"), out::toString);
    }

    /** docs/benchmarks/sparse-lr.md: on one host the filter saves bytes that cost nothing. */
    @Test
    void filtersGainNothingInSharedMemory() throws IOException {
        JsonNode advice = advice(report("transport", "ipc"));
        for (String change : List.of("density", "bf16")) {
            assertTrue(Math.abs(gain(advice, change)) < 0.05, out::toString);
            assertTrue(lever(advice, change).get("most_gain").asDouble() < 0.05, out::toString);
        }
        String words = advice.get("advice").asText();
        assertTrue(words.substring(words.indexOf("Leave")).contains("--filter density"), words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--workers 4 | some figures are missing, state them with --parameters, --servers, --compute,"
                        + " --link-rate",
                "STATED --compute 1s --clock 500ms | a clock of the stated job takes 0.5 s, expected at least the 1.0"
                        + " s",
                "STATED --compute 1s --kept 1.5 | --kept is 1.5, expected 0 to 1",
                "STATED --compute 1s --tree bush | tree is 'bush', expected one of",
                "STATED --compute soon | --compute is 'soon', expected a time",
                "STATED --compute 1s --order random | --order is random, expected fifo or layer",
                "STATED --compute 1s --seconds 3 | --seconds needs --running",
                "STATED --compute 1s --byte-time -1 | --byte-time is -1.0, expected 0 to 1000000",
                "REPORT --workers 8 | --workers is 8, but REPORT has 4: omit the option",
                "REPORT --link-rate 1gbit | --link-rate is 1gbit, but the nodes of REPORT share memory",
                "REPORT --running | --running and REPORT exclude each other"
            })
    void wrongFiguresAreRefusedInOneSentence(String arguments, String sentence) throws IOException {
        Path report = report("transport", "ipc");
        String line = arguments.replace("STATED", STATED).replace("REPORT", report.toString());
        assertEquals(ExitCode.USAGE, advise(line), err::toString);
        assertEquals(1, err.toString().lines().count(), err::toString);
        String expected = "sluice: " + sentence.replace("REPORT", report.toString());
        assertTrue(err.toString().startsWith(expected), err::toString);
    }

    @Test
    void filesThatAreNoReportsOfJobsAreRefused() throws IOException {
        assertEquals(ExitCode.DATA, advise(folder.resolve("none.json")), err::toString);
        Path text = Files.writeString(folder.resolve("text.json"), "no JSON");
        assertEquals(ExitCode.DATA, advise(text), err::toString);
        Path other = Files.writeString(folder.resolve("other.json"), "{\"rows\": []}");
        assertEquals(ExitCode.DATA, advise(other), err::toString);
        Path tables = report("values", "a=f32, b=bf16");
        assertEquals(ExitCode.DATA, advise(tables), err::toString);
        List<String> lines = err.toString().lines().toList();
        assertEquals(4, lines.size(), err::toString);
        assertEquals("sluice: there is no file " + folder.resolve("none.json"), lines.get(0));
        assertEquals("sluice: " + text + " is not JSON; expected a report of sluice train --json", lines.get(1));
        assertEquals(
                "sluice: " + other + " has no field workload; expected a report of sluice train --json", lines.get(2));
        assertTrue(lines.get(3).endsWith("advise takes one type for all tables"), lines.get(3));
    }
}
