package io.sluice.perf.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.lab.LabEvent.Change;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the notation of events and cross traffic. */
final class LabGrammarTest {
    private static final long MBIT = 1_000_000;

    @Test
    void readsEvents() {
        assertEquals(
                new LabEvent(Duration.ofSeconds(5), Change.RATE, LinkName.host(1), 50 * MBIT),
                LabEvent.parse("--at", "5s:rate:1=50mbit"));
        assertEquals(
                new LabEvent(Duration.ofMillis(500), Change.UPLINK, LinkName.rack(0), 2_500 * MBIT),
                LabEvent.parse("--at", "500ms:UPLINK:rack0=2.5gbit"));
        assertEquals(
                new LabEvent(Duration.ofSeconds(10), Change.CUT, LinkName.host(2), 0),
                LabEvent.parse("--at", "10s:cut:host2"));
        assertEquals(
                new LabEvent(Duration.ofSeconds(12), Change.RESTORE, LinkName.rack(1), 0),
                LabEvent.parse("--at", "12s:restore:rack1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "5s",
                "5s:cut",
                "5s:cut:1=10mbit",
                "5s:rate:1",
                "5s:rate:1=",
                "5s:rate:1=fast",
                "5s:rate:1=1kbit",
                "5s:rate:x=1mbit",
                "5s:melt:1",
                "5:cut:1",
                "-5s:cut:1",
                "5q:cut:1"
            })
    void refusesOtherEvents(String text) {
        String message = assertThrows(IllegalArgumentException.class, () -> LabEvent.parse("--at", text))
                .getMessage();
        assertTrue(message.startsWith("--at"), message);
    }

    @Test
    void readsFlows() {
        assertEquals(CrossFlow.udp(0, 1, 100 * MBIT), CrossFlow.parse("--cross", "0-1:100mbit"));
        assertEquals(
                new CrossFlow(
                        3,
                        12,
                        100 * MBIT,
                        CrossFlow.Protocol.TCP,
                        Duration.ofSeconds(5),
                        Optional.of(Duration.ofMillis(1_500))),
                CrossFlow.parse("--cross", "3-12:100mbit/tcp@5s+1500ms"));
        assertEquals(
                Optional.of(Duration.ofSeconds(1)),
                CrossFlow.parse("--cross", "1-0:1gbit/udp+1s").duration());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0-1",
                "0:100mbit",
                "0-0:100mbit",
                "0-1:100",
                "0-1:1bit",
                "0-1:100mbit/sctp",
                "0-1:100mbit@x",
                "0-1:100mbit+",
                "0-1:100mbit@1s+2"
            })
    void refusesOtherFlows(String text) {
        assertThrows(IllegalArgumentException.class, () -> CrossFlow.parse("--cross", text));
    }
}
