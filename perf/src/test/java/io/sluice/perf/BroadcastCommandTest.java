package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.ExitCode;
import io.sluice.perf.lab.LabRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BroadcastCommandTest {
    private static final long BYTES = 1 << 20;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--workers, 1, '--workers is 1, expected 2 to 32'",
        "--workers, '4,31', '--workers and --servers together are 33'",
        "--servers, 0, '--servers is 0'",
        "--rate, 999kbit, '--rate is 999kbit'",
        "--queue, 50, '--queue is ''50'', expected a time such as 10s or 500ms'",
        "--queue, 11s, '--queue is 11s, expected 1ms to 10s'",
        "--rates, some, '--rates is some'",
        "--event, 5s:1=1mbit, '--event is ''5s:1=1mbit'', expected TIME:rate:LINK=RATE'",
        "--event, 5s:rate:99=1mbit, '--event: unknown link host99'",
        "--tree, 'flat,bush:2', 'tree is ''bush:2'''",
        "--tree, 'p3:0,3', 'tree is ''p3:0,3'''",
        "--broadcasts, 0, '--broadcasts is 0'",
        "--warmup, -1, '--warmup is -1'",
        "--rounds, 1001, '--rounds is 1001'",
        "--kept, '1,0', '--kept is 0, expected more than 0, up to 1'",
        "--json, /no/such/folder/x.json, '--json /no/such/folder/x.json'",
    })
    void refusesWhatIsOutOfRange(String option, String value, String message) {
        PerfRun run = PerfRun.of("broadcast", option + "=" + value);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        assertTrue(run.err().startsWith("sluice: " + message), run::err);
    }

    /** Only a build with -Ppeers has the peers on its class path. */
    @Test
    void peersThatAreNotBuiltAreRefused() {
        PerfRun run = PerfRun.of("broadcast", "--peers");
        assertEquals(ExitCode.UNAVAILABLE, run.exitCode(), run::err);
        assertTrue(run.err().contains("-Ppeers package -pl perf/peers -am"), run::err);
    }

    /**
     * Workers compare their replicas bit by bit. The bytes on links show the shapes: the server sends one copy in a
     * chain, and one copy per worker without a tree.
     */
    @Test
    @Tag("slow")
    @Timeout(300)
    void sendsTheBytesOfEachShape() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("broadcast.json");
        Path plot = folder.resolve("broadcast.svg");
        PerfRun run = PerfRun.of(
                "broadcast",
                "--workers=3",
                "--servers=1",
                "--bytes=1mib",
                "--rate=50mbit",
                "--tree=flat,chain,p3:2,2",
                "--simulate",
                "--rounds=1",
                "--broadcasts=1",
                "--warmup=0",
                "--json=" + json,
                "--plot=" + plot);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        List<String> shapes =
                rows.findValues("shape").stream().map(JsonNode::asText).toList();
        assertEquals(List.of("flat", "chain", "p3:2,2"), shapes);
        for (JsonNode row : rows) {
            double ratio = row.get("ratio_to_wire").asDouble();
            assertEquals(row.get("seconds").asDouble() * 50e6 / 8 / BYTES, ratio, 1e-9, row::toString);
            assertTrue(row.get("cpu_seconds").asDouble() > 0, row::toString);
            assertTrue(row.get("wire_bytes").asLong() > 3 * BYTES, row::toString);
        }
        assertTrue(rows.get(0).get("simulated_seconds").asDouble() > 0);
        double flat = rows.get(0).get("uplink_ratio").asDouble();
        double chain = rows.get(1).get("uplink_ratio").asDouble();
        assertTrue(flat > 3 && chain > 1 && chain < 2, rows::toString);
        assertTrue(Files.size(plot) > 0);
    }

    /** Nodes that know no rate, and a host whose queue holds less than a socket's window: little is sent twice. */
    @Test
    @Tag("slow")
    @Timeout(300)
    void fillsAHostThatBecomesSlowWithoutSendingTwice() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("measured.json");
        PerfRun run = PerfRun.of(
                "broadcast",
                "--workers=2",
                "--servers=1",
                "--bytes=1mib",
                "--rate=20mbit",
                "--rates=measured",
                "--queue=50ms",
                "--event=0s:rate:2=5mbit",
                "--tree=flat",
                "--rounds=1",
                "--broadcasts=2",
                "--warmup=0",
                "--json=" + json);
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode row = PerfRun.json(json).get("rows").get(0);
        assertTrue(row.get("retransmitted").asLong() < row.get("wire_bytes").asLong() / 10, row::toString);
    }

    /** Sending a fifth of the elements takes less than half of the bytes; replicas equal what the filter let pass. */
    @Test
    @Tag("slow")
    @Timeout(300)
    void broadcastsWhatAFilterKeeps() throws IOException {
        LabRoot.assume();
        Path json = folder.resolve("kept.json");
        PerfRun run = PerfRun.of(
                "broadcast",
                "--workers=2",
                "--servers=1",
                "--bytes=256kib,512kib",
                "--kept=1,0.2",
                "--rate=50mbit",
                "--tree=chain",
                "--rounds=1",
                "--broadcasts=2",
                "--warmup=0",
                "--json=" + json,
                "--plot=" + folder.resolve("kept.svg"));
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        JsonNode rows = PerfRun.json(json).get("rows");
        assertEquals(4, rows.size());
        for (int i = 0; i < rows.size(); i += 2) {
            long all = rows.get(i).get("wire_bytes").asLong();
            long fifth = rows.get(i + 1).get("wire_bytes").asLong();
            assertTrue(fifth > 0 && 2 * fifth < all, rows::toString);
        }
        assertTrue(Files.size(folder.resolve("kept.svg")) > 0);
    }
}
