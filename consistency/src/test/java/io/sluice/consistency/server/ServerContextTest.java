package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The coordinator runs in the process of server 0, as messages and documentation state. */
class ServerContextTest {
    @Test
    void theServerThatCoordinatesIsServerZero() {
        ServerContext context =
                new ServerContext().coordinate(ClusterSettings.builder().build());
        context.conclude();
        assertEquals(0, context.index());
    }

    @Test
    void otherIndicesOfTheCoordinatingServerAreRefused() {
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

    @Test
    void waitingForTheDeadNeedsSnapshotsAndAFilterThatRepeats() {
        ServerContext bare = new ServerContext()
                .coordinate(ClusterSettings.builder().onDeath(DeathPolicy.WAIT).build());
        assertTrue(assertThrows(IllegalArgumentException.class, bare::conclude)
                .getMessage()
                .startsWith("onDeath is wait, but no snapshots are taken"));
        ServerContext learning = new ServerContext()
                .snapshots(Path.of("snapshots"))
                .coordinate(ClusterSettings.builder()
                        .onDeath(DeathPolicy.WAIT)
                        .filter("density:0.01")
                        .build())
                .takeSnapshots("4", false);
        assertTrue(assertThrows(IllegalArgumentException.class, learning::conclude)
                .getMessage()
                .contains("filter is density:0.01, expected one that repeats its choices after a restore"));
    }
}
