package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import org.junit.jupiter.api.Test;

/** {@code sluice lab run} rejects invalid options with one sentence, before it builds anything and without root. */
final class LabErrorsTest {
    @Test
    void rejectsInvalidNetworks() {
        assertRefused("hosts is 251, expected 1 to 250", "--hosts", 251);
        assertRefused("--rate is 'fast', expected bits per second", "--rate", "fast");
        assertRefused("rate is 1bit, expected 64kbit to 100gbit", "--rate", "1bit");
        assertRefused("--uplink-of: unknown link host2", "--uplink-of", "2=10mbit");
        assertRefused("--rate-of is '1', expected LINK=RATE", "--rate-of", "1");
        assertRefused("--rate-of: the range 1-0 is descending", "--rate-of", "1-0=1mbit");
        assertRefused("unknown link rack0; the lab has no racks", "--downlink-of", "rack0=10mbit");
        assertRefused("--queue is 'long', expected a time", "--queue", "long");
        assertRefused("mtu is 100, expected 576 to 65535", "--mtu", 100);
    }

    @Test
    void rejectsInvalidEventsAndOutputs() {
        assertRefused("--at is '5s:melt:1'", "--at", "5s:melt:1");
        assertRefused("unknown link host2", "--at", "5s:cut:2");
        assertRefused("unknown link host4", "--cross", "0-4:10mbit");
        assertRefused("--cross is '0+1', expected FROM-TO:RATE", "--cross", "0+1");
        assertRefused("--for is 'x', expected a time", "--for", "x");
        assertRefused("the folder /nowhere does not exist", "--json", "/nowhere/lab.json");
    }

    @Test
    void rejectsCommandsForUnknownHosts() {
        assertRefused("--on: unknown link host7", "--on", "7=true");
        assertRefused("--on is '0', expected HOSTS=LINE", "--on", "0");
        assertRefused("--on: 'all' is not a link", "--on", "all=true");
        assertRefused("{address:9}: unknown link host9", "--", "ping", "{address:9}");
    }

    private static void assertRefused(String message, Object... arguments) {
        Object[] line = new Object[arguments.length + 2];
        line[0] = "lab";
        line[1] = "run";
        System.arraycopy(arguments, 0, line, 2, arguments.length);
        PerfRun run = PerfRun.of(line);
        assertTrue(run.err().startsWith("sluice: "), run::toString);
        assertTrue(run.err().contains(message), run::toString);
        assertEquals(1, run.err().lines().count(), run::toString);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::toString);
    }
}
