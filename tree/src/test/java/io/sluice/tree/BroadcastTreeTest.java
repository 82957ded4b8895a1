package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class BroadcastTreeTest {
    private final Hop local = new Hop(0, List.of(2, 3), true, "");
    private final Hop remote = new Hop(0, List.of(4), false, "far:1");
    private final Hop relayed = new Hop(4, List.of(5), false, "farther:1");
    private final Hop own = new Hop(4, List.of(4), true, "");
    private final BroadcastTree tree = new BroadcastTree(0, 100, List.of(local, remote, relayed, own));

    @Test
    void aNodeSendsOnTheHopsThatBeginAtIt() {
        assertEquals(List.of(local, remote), tree.from(0));
        assertEquals(List.of(relayed, own), tree.from(4));
        assertEquals(List.of(), tree.from(5));
    }

    @Test
    void aNodeIsReachedByTheLastHopThatNamesIt() {
        assertEquals(local, tree.delivery(3));
        assertEquals(own, tree.delivery(4));
        assertEquals(relayed, tree.delivery(5));
    }

    @Test
    void onlySendersOtherThanTheRootRelay() {
        assertTrue(tree.relays(4));
        assertFalse(tree.relays(0));
        assertFalse(tree.relays(3));
        assertFalse(tree.relays(5));
    }

    @Test
    void aNodeThatIsNotReachedIsAnError() {
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class, () -> tree.delivery(7));
        assertEquals("the tree of node 0 does not reach node 7", error.getMessage());
        assertThrows(IllegalArgumentException.class, () -> tree.delivery(0));
    }
}
