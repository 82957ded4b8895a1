package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import io.sluice.perf.lab.LabRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ExchangeCommandTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--params, 999, '--params is 999'",
        "--workers, 0, '--workers is 0'",
        "--servers, 33, '--servers is 33'",
        "--rate, 11gbit, '--rate is 11gbit, expected 1mbit to 10gbit'",
        "--queue, 50, '--queue is ''50'', expected a time such as 10s or 500ms'",
        "--queue, 11s, '--queue is 11s, expected 1ms to 10s'",
        "--rates, some, '--rates is some'",
        "--event, 5s:1=1mbit, '--event is ''5s:1=1mbit'', expected TIME:rate:LINK=RATE'",
        "--event, 5s:rate:99=1mbit, '--event: unknown link host99'",
        "--kept, 1.5, '--kept is 1.5, expected more than 0, up to 1'",
        "--protocol, pull, '--protocol is ''pull'''",
        "--tree, bush, 'tree is ''bush'''",
        "--clocks, 0, '--clocks is 0, expected 1 to 10000'",
        "--rounds, 0, '--rounds is 0'",
        "--plot, x.pdf, '--plot x.pdf: expected a name ending in .png or .svg'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("exchange", option + "=" + value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /** Workers check their replicas to the bit; what is filtered out is not on the wire. */
    @Test
    @Tag("slow")
    @Timeout(300)
    void filteredUpdatesTakeFewerBytesThanPushPull() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("exchange.json");
        PerfRun run = PerfRun.of(
                "exchange",
                "--params=100000,10000",
                "--workers=2",
                "--servers=2",
                "--rate=100mbit",
                "--kept=1.0,0.2",
                "--tree=flat,chain",
                "--clocks=2",
                "--warmup=1",
                "--rounds=1",
                "--json=" + json,
                "--plot=" + folder.resolve("exchange.svg"));
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        assertTrue(Files.size(folder.resolve("exchange.svg")) > 0);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(10, rows.size(), rows::toString);
        for (JsonNode row : rows) {
            double seconds = row.get("seconds").asDouble();
            assertTrue(row.get("first_slice_seconds").asDouble() <= seconds, row::toString);
            assertTrue(row.get("push_seconds").asDouble() > 0, row::toString);
            assertEquals(2, row.get("clocks").asInt());
        }
        long dense = rows.get(0).get("bytes_on_wire").asLong();
        long sparse = rows.get(2).get("bytes_on_wire").asLong();
        long pulled = rows.get(8).get("bytes_on_wire").asLong();
        assertEquals("push-pull", rows.get(8).get("protocol").asText());
        assertTrue(sparse < dense / 2 && sparse < pulled / 2, rows::toString);
    }
}
