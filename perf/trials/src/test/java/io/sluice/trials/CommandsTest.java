package io.sluice.trials;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.ExitCode;
import io.sluice.perf.Perf;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code sluice perf run commands}, with the command line that is on the class path of these tests. */
@Tag("slow")
@Timeout(240)
final class CommandsTest {
    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    private int run(String command, String ways, String fields, String... more) {
        CommandLine line = Perf.commandLine();
        line.setOut(new PrintWriter(Writer.nullWriter()));
        line.setErr(new PrintWriter(err, true));
        String[] words = {"run", "commands", "--command", command, "--ways", ways, "--fields", fields};
        return line.execute(Stream.of(words, more).flatMap(Stream::of).toArray(String[]::new));
    }

    /** A topic model of synthetic texts in one process: one more pass, and the next seed. */
    @Test
    void readsNumbersSumsAndTheFirstOfAList() throws IOException {
        Path json = folder.resolve("commands.json");
        int code = run(
                "train lda --dataset planted --reference --topics 4 --workers 1",
                "--passes 2,--passes 3",
                "clocks,clocks+workers,passes_log_likelihood<=0,passes_log_likelihood>=1",
                "--seed",
                "7",
                "--rounds",
                "2",
                "--json",
                json.toString());
        assertEquals(ExitCode.OK, code, err::toString);
        JsonNode rows = new ObjectMapper().readTree(json.toFile()).get("rows");
        assertEquals(List.of(2.0, 3.0, 1.0), values(rows, "--passes 2"), rows::toString);
        assertEquals(List.of(3.0, 4.0, 1.0), values(rows, "--passes 3"), rows::toString);
        assertEquals(1.5, rows.get(4).get("ratio").asDouble(), rows::toString);
        rows.forEach(row -> assertEquals(2, row.get("turns").asInt(), row::toString));
    }

    /** The values of the fields that have one, in their order. */
    private static List<Double> values(JsonNode rows, String way) {
        return rows.valueStream()
                .filter(row ->
                        row.get("way").asText().equals(way) && row.get("value").isNumber())
                .map(row -> row.get("value").asDouble())
                .toList();
    }

    @Test
    void namesAFieldThatTheJsonDoesNotHave() {
        int code = run("train lda --dataset planted --reference --topics 4 --passes 1", "defaults", "bytes");
        assertEquals(ExitCode.USAGE, code, err::toString);
        assertTrue(err.toString().contains("--fields is bytes, expected a number in the JSON of 'sluice train lda"));
        assertTrue(err.toString().contains("log_likelihood"), err::toString);
    }

    @Test
    void statesWhatAFailedCommandSays() {
        int code = run("train lda --topics many", "--passes 1", "passes");
        assertEquals(ExitCode.UNAVAILABLE, code, err::toString);
        String fault = "'sluice train lda --topics many --passes 1' ended with exit code " + ExitCode.USAGE;
        assertTrue(err.toString().contains(fault), err::toString);
        assertTrue(err.toString().contains("--topics"), err::toString);
    }
}
