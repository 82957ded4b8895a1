package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NodeIdsTest {
    private final NodeIds ids = new NodeIds(2, 3);

    @Test
    void serversComeFirst() {
        assertEquals(5, ids.count());
        assertEquals("server 0", ids.nameOf(0));
        assertEquals("server 1", ids.nameOf(1));
        assertEquals("worker 0", ids.nameOf(2));
        assertEquals("worker 2", ids.nameOf(4));
    }

    @Test
    void eachNumberIsOfOneRoleAndIndex() {
        for (int node = 0; node < ids.count(); node++) {
            assertEquals(node, ids.of(ids.role(node), ids.index(node)));
            assertEquals(node < 2 ? Role.SERVER : Role.WORKER, ids.role(node));
        }
        assertEquals(2, ids.places(Role.SERVER));
        assertEquals(3, ids.places(Role.WORKER));
    }
}
