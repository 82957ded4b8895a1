package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.consistency.membership.ClusterSettings;
import org.junit.jupiter.api.Test;

/** The coordinator is in the process of server 0, as its error texts and the documents say. */
class ServerContextTest {
    @Test
    void theServerThatCoordinatesIsServerZero() {
        ServerContext context =
                new ServerContext().coordinate(ClusterSettings.builder().build());
        context.conclude();
        assertEquals(0, context.index());
    }

    @Test
    void anotherIndexForItIsRefused() {
        ServerContext context = new ServerContext()
                .coordinate(ClusterSettings.builder().build())
                .index(1);
        assertEquals(
                "index is 1, expected 0 or -1: the server that coordinates is server 0",
                assertThrows(IllegalArgumentException.class, context::conclude).getMessage());
    }

    @Test
    void aServerThatJoinsTakesAnyPlace() {
        ServerContext context = new ServerContext();
        context.conclude();
        assertEquals(-1, context.index());
    }
}
