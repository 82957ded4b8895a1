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

    private Path report(Object... fields) throws IOException {
        ObjectNode report = (ObjectNode) new ObjectMapper().readTree("""
            {"workload": "lr", "workers": 4, "servers": 2, "iterations": 200, "elements_offered": 838860800,
             "kept_fraction": 0.0079, "transport": "ipc", "seconds": 2.4, "compute_seconds": 0.9, "push_seconds": 0.6,
             "bytes_pushed": 63000000, "bytes_broadcast": 62000000, "bytes_relayed": 0, "values": "f32",
             "slice": 16320, "consistency": "bsp", "tree": "auto", "protocol": "update", "policy": "dvf:0.1",
             "broadcast_policy": "dvf:0.1", "link_rate": 1000000000, "order": "fifo", "cores": 8,
             "workers_finished": 4, "workers_lost": [], "nodes_started_again": 0, "job_started_again": 0}
            """);
        for (int i = 0; i < fields.length; i += 2) {
            report.putPOJO(fields[i].toString(), fields[i + 1]);
        }
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
        String words = advice.get("advice").asText();
        assertTrue(words.startsWith("Use --filter density:0.1: a step takes 0.6"), words);
        assertTrue(words.contains("Or use 16 local steps"), words);
    }

    /** What keeps the result is first, however much local steps save. */
    @Test
    void changesThatKeepTheResultAreFirst() throws IOException {
        JsonNode advice = advice(STATED, "--compute 2s");
        List<String> results = new ArrayList<>();
        advice.get("levers").forEach(lever -> results.add(lever.get("result").asText()));
        assertEquals(List.of("same", "same", "approximate", "approximate", "approximate", "other"), results);
        String words = advice.get("advice").asText();
        assertTrue(words.startsWith("Use pushes of 8 layers and --order layer --slice 4096: a step takes "), words);
    }

    /** Staleness hides the links: no change is predicted to take less than computing, whatever the links seem to do. */
    @Test
    void noPredictionIsBelowComputing() throws IOException {
        for (String terms : List.of("--consistency ssp:2", "--layers 8 --order layer", "--layers 20")) {
            JsonNode advice = advice(STATED, terms, "--compute 4s --clock 4200ms");
            advice.get("levers")
                    .forEach(lever -> assertTrue(lever.get("seconds").asDouble() >= 4, () -> terms + ": " + lever));
            assertTrue(advice.get("other_seconds").asDouble() >= 0, out::toString);
            assertTrue(gain(advice, "density:0.1") <= 0.2 / 4.2 + 1e-9, out::toString);
        }
    }

    /** Of 4 workers that keep a tenth each and 34 % together, none keeps what another does. */
    @Test
    void theFilterIsPredictedForWhatWorkersKeepTogether() throws IOException {
        Object[] dense = {
            "transport",
            "udp",
            "policy",
            "none",
            "broadcast_policy",
            "fixed:0",
            "kept_fraction",
            1,
            "bytes_pushed",
            838860800L * 4,
            "bytes_broadcast",
            838860800L * 4,
            "seconds",
            200
        };
        JsonNode apart = advice(report(dense), "--link-rate 100mbit");
        assertTrue(apart.get("remarks").toString().contains("choose independently"), apart::toPrettyString);
        Object[] both = dense.clone();
        both[5] = "none";
        JsonNode together = advice(report(both), "--link-rate 100mbit");
        assertTrue(gain(together, "density") > gain(apart, "density") + 0.1, out::toString);

        Object[] filtered = dense.clone();
        filtered[3] = "fixed:1";
        filtered[7] = 0.1;
        filtered[9] = 370_000_000L;
        filtered[11] = 1_058_000_000L;
        JsonNode setup =
                advice(report(filtered), "--link-rate 100mbit").get("job").get("setup");
        assertEquals(0.344, setup.get("broadcast_kept").asDouble(), 0.05, setup::toPrettyString);
    }

    /** With push-pull, pulls start after pushes, so links carry data in one direction at a time. */
    @Test
    void aPushPullJobGainsByBroadcasts() throws IOException {
        JsonNode advice = advice(STATED, "--protocol push-pull --compute 100ms");
        assertEquals(8.3, advice.get("clock_seconds").asDouble(), 0.2, out::toString);
        assertEquals(0.49, gain(advice, "--protocol update"), 0.03, out::toString);
        advice.get("levers")
                .forEach(lever -> assertTrue(!lever.get("change").asText().contains("filter")));
        assertTrue(advice.get("advice").asText().startsWith("Use --protocol update"), out::toString);
    }

    /** 8 workers that compute for 1 s each keep 2 cores busy for 4 s. */
    @Test
    void noPredictionExceedsTheProcessors() throws IOException {
        String job = "--parameters 1000000 --workers 8 --servers 1 --link-rate 100mbit --compute 1s --clock 5s";
        JsonNode advice = advice(job, "--cores 2");
        assertEquals(4, advice.get("processor_seconds").asDouble(), 0.1);
        advice.get("levers").forEach(lever -> assertTrue(lever.get("seconds").asDouble() >= 4, lever::toString));
        assertTrue(gain(advice(job, "--cores 16"), "ssp:1") > 0.2, out::toString);
        JsonNode full = advice(job.replace("5s", "4100ms"), "--cores 2");
        assertTrue(full.get("remarks").toString().contains("8 workers keep 2 cores busy"), full::toPrettyString);
        assertTrue(full.get("advice").asText().startsWith("Leave it as it is"), full::toPrettyString);
    }

    /** 2^40 slices of one element do not fit an int. */
    @Test
    void manySlicesAreCounted() throws IOException {
        JsonNode advice = advice(
                "--parameters 1099511627776 --slice 1 --workers 1 --servers 1 --link-rate 1tbit", "--compute 1s");
        assertTrue(advice.get("clock_seconds").asDouble() > 300, out::toString);
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

    /** The report has the rate with which the job plans; a stated one replaces it. */
    @Test
    void aReportOverUdpHasARateThatCanBeReplaced() throws IOException {
        Path report = report("transport", "udp");
        JsonNode advice = advice(report);
        assertEquals(1_000_000_000, advice.get("job").get("link_rate").asLong());
        assertEquals("auto", advice.get("job").get("setup").get("tree").asText());
        assertEquals(0.012, advice.get("clock_seconds").asDouble(), 1e-6);
        assertTrue(advice.get("other_seconds").asDouble() > 0.001, out::toString);
        assertTrue(
                advice.get("remarks").toString().contains("neither computing nor exchanging messages"), out::toString);
        JsonNode slower = advice(report, "--link-rate 100mbit");
        assertEquals(100_000_000, slower.get("job").get("link_rate").asLong());
        JsonNode layered = advice(report("transport", "udp", "order", "layer"));
        assertTrue(!layered.get("levers").toString().contains("--order"), layered::toPrettyString);
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
                "--workers 4 | some figures of the stated job are missing, state them with --parameters, --servers,"
                        + " --compute, --link-rate, or name a report",
                "--workers 4 --link-rate 0bit --compute 1s | --link-rate is 0bit, expected a rate above 0; for nodes"
                        + " that share memory give --transport ipc",
                "STATED --transport ipc --compute 1s | --link-rate is 100mbit, but the nodes of the stated job share",
                "STATED --compute 1s --protocol managed | --protocol of the stated job is managed, expected update or"
                        + " push-pull: advise has no model of the others",
                "--running --kept 2 | --kept is 2.0, expected 0 to 1",
                "--running --seconds 0 | --seconds is 0.0, expected 0.1 to 3600",
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

    /** Totals over several lives of a job are not those of its clocks. */
    @ParameterizedTest
    @CsvSource({
        "nodes_started_again, 1, nodes were started again",
        "job_started_again, 2, nodes were started again",
        "workers_lost, [3], workers were lost",
        "workers_finished, 5, workers joined or left",
        "restored, true, the training continued from a snapshot"
    })
    void reportsOfDisturbedJobsAreRefused(String field, String value, String disturbance) throws IOException {
        Path report = report(field, new ObjectMapper().readTree(value));
        assertEquals(ExitCode.DATA, advise(report), err::toString);
        assertTrue(
                err.toString().startsWith("sluice: " + report + " is the report of a job in which " + disturbance),
                err::toString);
    }

    @Test
    void reportsOfProtocolsWithoutAModelAreRefused() throws IOException {
        Path report = report("protocol", "peer");
        assertEquals(ExitCode.USAGE, advise(report), err::toString);
        assertTrue(err.toString().startsWith("sluice: --protocol of " + report + " is peer, expected update or"));
        assertTrue(err.toString().contains("run the job with --protocol update and compare the reports"));
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
