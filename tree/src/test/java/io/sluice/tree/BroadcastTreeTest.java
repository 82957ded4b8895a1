package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class BroadcastTreeTest {
    private final Hop local = new Hop(0, List.of(2, 3), true, "");
    private final Hop remote = new Hop(0, List.of(4), false, "far:1");
    private final Hop relayed = new Hop(4, List.of(5), false, "farther:1");
    private final BroadcastTree tree = new BroadcastTree(0, List.of(local, remote, relayed));

    @Test
    void aNodeSendsOnTheHopsThatBeginAtIt() {
        assertEquals(List.of(local, remote), tree.from(0));
        assertEquals(List.of(relayed), tree.from(4));
        assertEquals(List.of(), tree.from(5));
    }

    @Test
    void aNodeIsReachedByTheHopThatNamesIt() {
        assertEquals(local, tree.into(3));
        assertEquals(remote, tree.into(4));
        assertEquals(relayed, tree.into(5));
    }

    @Test
    void aNodeThatIsNotReachedIsAnError() {
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class, () -> tree.into(7));
        assertEquals("the tree of node 0 does not reach node 7", error.getMessage());
        assertThrows(IllegalArgumentException.class, () -> tree.into(0));
    }
}
