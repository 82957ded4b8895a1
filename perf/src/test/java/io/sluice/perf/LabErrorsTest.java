package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What {@code sluice lab run} refuses, in one sentence and before it makes anything; no root is needed for that. */
final class LabErrorsTest {
    @Test
    void refusesNetworksThatCannotBe() {
        assertRefused("hosts is 251, expected 1 to 250", "--hosts", 251);
        assertRefused("--rate is 'fast', expected bits per second", "--rate", "fast");
        assertRefused("rate is 1bit, expected 64kbit to 100gbit", "--rate", "1bit");
        assertRefused("--uplink-of: there is no host2", "--uplink-of", "2=10mbit");
        assertRefused("--rate-of is '1', expected LINK=RATE", "--rate-of", "1");
        assertRefused("--rate-of: the range 1-0 has its ends exchanged", "--rate-of", "1-0=1mbit");
        assertRefused("there is no rack0; the lab has no racks", "--downlink-of", "rack0=10mbit");
        assertRefused("--queue: 'long' is no time", "--queue", "long");
        assertRefused("mtu is 100, expected 576 to 65535", "--mtu", 100);
    }

    @Test
    void refusesWhatCannotHappen() {
        assertRefused("--at is '5s:melt:1'", "--at", "5s:melt:1");
        assertRefused("there is no host2", "--at", "5s:cut:2");
        assertRefused("there is no host4", "--cross", "0-4:10mbit");
        assertRefused("--cross is '0+1', expected FROM-TO:RATE", "--cross", "0+1");
        assertRefused("--for: 'x' is no time", "--for", "x");
        assertRefused("the folder /nowhere does not exist", "--json", "/nowhere/lab.json");
    }

    @Test
    void refusesCommandsOnNoHost() {
        assertRefused("--on: there is no host7", "--on", "7=true");
        assertRefused("--on is '0', expected HOSTS=LINE", "--on", "0");
        assertRefused("--on: 'all' is no link", "--on", "all=true");
        assertRefused("{address:9}: there is no host9", "--", "ping", "{address:9}");
    }

    private static void assertRefused(String message, Object... arguments) {
        Object[] words = new Object[arguments.length + 2];
        words[0] = "lab";
        words[1] = "run";
        System.arraycopy(arguments, 0, words, 2, arguments.length);
        PerfRun run = PerfRun.of(words);
        assertTrue(run.err().startsWith("sluice: "), run::toString);
        assertTrue(run.err().contains(message), run::toString);
        assertEquals(1, run.err().lines().count(), run::toString);
        assertEquals(ExitCode.USAGE, run.exitCode(), run::toString);
    }
}
