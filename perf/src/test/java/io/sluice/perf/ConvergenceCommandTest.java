package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.perf.lab.LabRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real models are trained over the links of a lab until they are as good as the first way makes them. */
@Tag("slow")
class ConvergenceCommandTest {
    @TempDir
    private Path folder;

    private JsonNode rows(String ways, String options) throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("convergence.json");
        List<Object> arguments = new ArrayList<>(List.of("run", "convergence", "--json", json, "--ways", ways));
        arguments.addAll(List.of(options.split(" ")));
        PerfRun run = PerfRun.of(arguments.toArray());
        assertEquals(0, run.exitCode(), run::toString);
        JsonNode rows = PerfRun.json(json).get("rows");
        for (JsonNode row : rows) {
            assertEquals(row.get("clock").size(), row.get("objective").size(), row::toString);
            for (String rising : List.of("second", "bytes")) {
                JsonNode series = row.get(rising);
                assertEquals(row.get("clock").size(), series.size(), row::toString);
                assertEquals(0, series.get(0).asDouble(), 0);
                for (int i = 1; i < series.size(); i++) {
                    assertTrue(series.get(i).asDouble() > series.get(i - 1).asDouble(), row::toString);
                }
            }
            assertEquals(row.get("clock").size(), row.get("held_out").size(), row::toString);
            assertTrue(row.get("filter_per_clock").asDouble()
                    < row.get("computing_per_clock").asDouble());
        }
        return rows;
    }

    private static double last(JsonNode row) {
        return row.get("objective").get(row.get("objective").size() - 1).asDouble();
    }

    /** Exact updates train what push-pull trains, and the goal of all is what the first has at its end. */
    @Test
    void mailsHaveOneGoal() throws IOException {
        String[] ways = {"protocol=push-pull", "filter=none", "filter=dvf:0.1"};
        JsonNode rows = rows(String.join(",", ways), "--compute 1ms --clocks 6 --rate 200mbit --workers 2 --servers 1");
        for (int i = 0; i < ways.length; i++) {
            JsonNode row = rows.get(i);
            assertEquals(ways[i], row.get("way").asText());
            assertEquals(Math.log(2), row.get("objective").get(0).asDouble(), 1e-9);
            assertEquals(last(rows.get(0)), row.get("goal").asDouble(), 0);
        }
        assertEquals(last(rows.get(0)), last(rows.get(1)), 1e-6);
        assertEquals(6, rows.get(0).get("clocks_to_goal").asDouble(), 1e-9);
        assertEquals(1, rows.get(0).get("faster").asDouble(), 0);
        assertTrue(rows.get(1).get("fewer_bytes").asDouble() > 10, rows::toString);
        JsonNode counted = rows.get(1).get("bytes");
        assertEquals(counted.get(6).asLong(), rows.get(1).get("bytes_to_goal").asLong(), 1);
        assertTrue(rows.get(1).get("held_out_at_goal").asDouble() > 0.5, rows::toString);
        assertTrue(rows.get(1).get("distance_of_bound").isNull(), rows::toString);
        double ofBound = rows.get(2).get("distance_of_bound").asDouble();
        assertTrue(ofBound > 0 && ofBound < 1, rows::toString);
    }

    /** Clocks that are not timed take the median time, and have the objective of a run over shared memory. */
    @Test
    void imagesAreTrainedInSeveralStepsOfAClock() throws IOException {
        JsonNode rows = rows(
                "protocol=push-pull,rule=mean,rule=mean local=4",
                "--job images --compute 1ms --clocks 8 --timed-clocks 5 --batch 16 --learning-rate 0.05 --rate 100mbit"
                        + " --workers 2 --servers 1 --goal 0.8");
        assertEquals(last(rows.get(0)), last(rows.get(1)), 0.01);
        assertTrue(last(rows.get(2)) < last(rows.get(0)), rows::toString);
        double[] seconds = new double[9];
        for (int i = 0; i < seconds.length; i++) {
            seconds[i] = rows.get(0).get("second").get(i).asDouble();
        }
        assertEquals(rows.get(0).get("seconds_per_clock").asDouble(), seconds[8] - seconds[7], 1e-9);
    }

    /** Other traffic delays workers that may be two clocks apart, and a goal may be out of reach. */
    @Test
    void linksMayBeShared() throws IOException {
        JsonNode rows = rows(
                "protocol=push-pull,filter=dvf:1e9 consistency=ssp:2",
                "--compute 20ms --clocks 6 --goal-clock 4 --cross 0.5 --workers 2 --servers 1");
        assertEquals(4, rows.get(0).get("clocks_to_goal").asDouble(), 1e-9);
        assertTrue(rows.get(1).get("seconds_to_goal").isNull(), rows::toString);
        assertEquals(0, rows.get(1).get("kept").asDouble(), 0);
    }

    @Test
    void ratingsAreTrainedInWholePasses() throws IOException {
        JsonNode rows = rows(
                "protocol=push-pull,filter=none",
                "--job ratings --compute 1ms --clocks 8 --every 2 --learning-rate 0.005 --rate 200mbit --workers 2"
                        + " --servers 1");
        assertEquals(5, rows.get(0).get("objective").size());
        assertEquals(last(rows.get(0)), last(rows.get(1)), 1);
        assertTrue(last(rows.get(0)) < rows.get(0).get("objective").get(0).asDouble(), rows::toString);
    }

    /** PyTorch is in an optional module, which this class path lacks. */
    @Test
    void aConvolutionalNetworkNeedsAModule() {
        PerfRun run = PerfRun.of("run", "convergence", "--job", "cnn");
        assertTrue(run.exitCode() != 0, run::toString);
        assertTrue(run.err().contains("needs the module samples/djl"), run.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--ways | fliter=none | did you mean filter?",
                "--ways | filter=none filter=none | each name once",
                "--ways | local=0 | 1 to",
                "--ways | filter=none local=4 | --job images or cnn only",
                "--ways | slice=many | slice=many",
                "--rate | auto:none | auto:R",
                "--rate | auto:0 | auto:R",
                "--compute | 0ms | more than 0 with --rate auto:R",
            })
    void aWayOrARateThatIsNoneIsRefused(String option, String value, String expected) {
        PerfRun run = PerfRun.of("run", "convergence", option, value);
        assertEquals(2, run.exitCode(), run::toString);
        assertTrue(run.err().contains(expected), run.err());
    }

    @Test
    void partsOfPassesAndAdaptiveWaysWithTimedClocksAreRefused() {
        PerfRun passes = PerfRun.of("run", "convergence", "--job", "ratings", "--clocks", "9");
        assertEquals(2, passes.exitCode(), passes::toString);
        assertTrue(passes.err().contains("--clocks is 9, expected whole passes of"), passes.err());
        PerfRun timed = PerfRun.of("run", "convergence", "--timed-clocks", "5", "--ways", "consistency=ssp:2");
        assertEquals(2, timed.exitCode(), timed::toString);
        assertTrue(timed.err().contains("--timed-clocks"), timed.err());
    }
}
