package io.sluice.perf.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command line of the lab, from its start to every end it can have. */
@Tag("slow")
@Timeout(300)
final class LabRunTest {
    private static final long PATIENCE_NS = 60_000_000_000L;

    @TempDir
    private Path folder;

    @BeforeAll
    static void root() {
        LabRoot.assume();
    }

    @Test
    void runsCommandsAndReports() throws IOException {
        Path json = folder.resolve("lab.json");
        try (LabProcess lab = new LabProcess(
                "run",
                "--hosts",
                3,
                "--rate",
                "100mbit",
                "--uplink-of",
                "1-2=30mbit",
                "--at",
                "300ms:rate:0=70mbit",
                "--at",
                "400ms:cut:2",
                "--cross",
                "0-1:20mbit+500ms",
                "--json",
                json,
                "--on",
                "1=echo shell {host} $LAB_ADDRESS; sleep 1",
                "--",
                "echo",
                "words {host}/{hosts} {address} {address:2} {other}")) {
            String said = lab.said();
            assertTrue(said.contains("host0 | words 0/3 10.77.0.1 10.77.0.3 {other}\n"), said);
            assertTrue(said.contains("host2 | words 2/3 10.77.0.3 10.77.0.3 {other}\n"), said);
            assertTrue(said.contains("host1 | shell 1 10.77.0.2\n"), said);
            assertTrue(said.contains("cut host2"), said);
            assertTrue(said.contains("host2 (cut)"), said);
            assertEquals(List.of(), lab.namespaces());
        }
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertTrue(report.get("command").asText().startsWith("sluice lab run --hosts 3"), report::toString);
        assertEquals(3, report.get("commands").size());
        assertEquals(0, report.get("commands").get(1).get("exit_code").asInt(-1));
        JsonNode links = report.get("links");
        assertEquals(70_000_000, links.get(0).get("up").get("rate_bits").asLong());
        assertEquals(30_000_000, links.get(1).get("up").get("rate_bits").asLong());
        assertEquals(100_000_000, links.get(1).get("down").get("rate_bits").asLong());
        assertFalse(links.get(2).get("connected").asBoolean());
        assertTrue(links.get(0).get("up").get("bytes").asLong() > 100_000, links::toString);
        assertTrue(links.get(1).get("down").get("bytes").asLong() > 100_000, links::toString);
    }

    @Test
    void endsWithTheCodeOfTheCommandThatFails() throws IOException, InterruptedException {
        try (LabProcess lab = new LabProcess("run", "--on", "0=sleep 600", "--on", "1=exit 7")) {
            assertEquals(7, lab.exitCode());
            assertEquals(List.of(), lab.namespaces());
        }
    }

    @Test
    void endsWhenTheTimeIsUp() throws IOException, InterruptedException {
        try (LabProcess lab = new LabProcess("run", "--for", "500ms", "--", "sleep", 600)) {
            assertEquals(ExitCode.OK, lab.exitCode());
            assertTrue(lab.said().contains("traffic of the links in "));
            assertEquals(List.of(), lab.namespaces());
        }
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
    void removesItselfAtSignals(String signal, int code) throws IOException, InterruptedException {
        try (LabProcess lab = new LabProcess("run", "--", "sh", "-c", "echo pid $$; sleep 600 & wait")) {
            long child = pid(lab.await("| pid "));
            assertFalse(lab.namespaces().isEmpty());
            lab.signal(signal);
            assertEquals(code, lab.exitCode());
            assertTrue(lab.said().contains("traffic of the links in "));
            assertEquals(List.of(), lab.namespaces());
            assertEnds(child);
        }
    }

    @Test
    void removesItselfWhenInterruptedWhileItIsBuilt() throws IOException, InterruptedException {
        try (LabProcess lab = new LabProcess("run", "--hosts", 60, "--", "true")) {
            while (lab.namespaces().isEmpty()) {
                Thread.sleep(5);
            }
            lab.signal("INT");
            assertEquals(130, lab.exitCode());
            assertEquals(List.of(), lab.namespaces());
        }
    }

    @Test
    void nextLabRemovesWhatAKilledOneLeft() throws IOException, InterruptedException {
        try (LabProcess killed = new LabProcess("run", "--hosts", 2, "--", "sh", "-c", "echo pid $$; exec sleep 600")) {
            long child = pid(killed.await("| pid "));
            assertEquals(3, killed.namespaces().size());
            LabName name = LabName.ofNamespace(killed.namespaces().getFirst()).orElseThrow();
            killed.signal("KILL");
            assertEquals(137, killed.exitCode());
            try (Lab next = Lab.build(new LabPlan().hosts(1))) {
                assertTrue(next.name().isOwnerRunning());
                LabTest.assertGone(name);
                assertEnds(child);
            }
        }
    }

    @Test
    void cleansUpAfterAKilledOneButNotWhatRuns() throws IOException, InterruptedException {
        try (LabProcess killed = new LabProcess("run");
                Lab alive = Lab.build(new LabPlan().hosts(1))) {
            killed.await("runs until Ctrl-C");
            killed.signal("KILL");
            assertEquals(137, killed.exitCode());
            try (LabProcess show = new LabProcess("show")) {
                assertTrue(show.said().contains(alive.name().toString()));
            }
            try (LabProcess clean = new LabProcess("clean")) {
                assertEquals(ExitCode.OK, clean.exitCode());
            }
            assertEquals(List.of(), killed.namespaces());
            assertEquals(
                    2,
                    NetworkNamespaces.names().stream()
                            .filter(alive.name()::owns)
                            .count());
        }
    }

    private static long pid(String line) {
        return Long.parseLong(line.replaceAll(".*pid ", ""));
    }

    /** Waits until a process has ended: the lab has killed it, but the system may not have removed it yet. */
    private static void assertEnds(long pid) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NS;
        while (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()) {
            assertTrue(System.nanoTime() - deadline < 0, "process " + pid + " is still there");
            Thread.sleep(10);
        }
    }
}
