package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HopTest {
    @Test
    void aHopWithoutReceiversIsRefused() {
        IllegalArgumentException shared =
                assertThrows(IllegalArgumentException.class, () -> new Hop(3, List.of(), true, ""));
        assertEquals("a hop from node 3 over shared memory needs receivers, got []", shared.getMessage());
        assertThrows(IllegalArgumentException.class, () -> new Hop(3, List.of(), false, "h:1"));
    }

    @Test
    void aUdpHopWithSeveralReceiversIsRefused() {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> new Hop(3, List.of(4, 5), false, "h:1"));
        assertEquals("a hop from node 3 over UDP needs exactly one receiver, got [4, 5]", refusal.getMessage());
    }

    @Test
    void aHopKeepsACopyOfItsReceivers() {
        List<Integer> receivers = new ArrayList<>(List.of(1, 2));
        Hop hop = new Hop(0, receivers, true, "");
        receivers.clear();
        assertEquals(List.of(1, 2), hop.to());
    }
}
