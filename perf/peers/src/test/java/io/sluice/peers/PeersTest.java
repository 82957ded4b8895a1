package io.sluice.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.perf.Perf;
import io.sluice.perf.broadcast.Peers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands find and measure the peers. */
@Timeout(180)
final class PeersTest {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path folder;

    private JsonNode rows(String... words) throws IOException {
        Path json = folder.resolve("rows.json");
        String[] all = Arrays.copyOf(words, words.length + 1);
        all[words.length] = "--json=" + json;
        assertEquals(0, Perf.run(all));
        return new ObjectMapper().readTree(json.toFile()).get("rows");
    }

    @Test
    void peersAreFound() {
        try (Peers peers = Peers.find().orElseThrow()) {
            List<String> shapes = peers.shapes();
            assertEquals(List.of("zeromq flat", "grpc flat"), shapes.subList(0, 2));
            assertEquals(peers.missing() == null ? 5 : 2, shapes.size());
        }
    }

    /** With a flat tree each worker gets all bytes directly from the server. */
    @Test
    @Tag("slow")
    void broadcastOverANetwork() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "a network lab needs root");
        JsonNode rows = rows(
                "broadcast",
                "--workers=3",
                "--servers=1",
                "--bytes=1mib",
                "--rate=50mbit",
                "--tree=flat",
                "--peers",
                "--rounds=1",
                "--broadcasts=1",
                "--warmup=0");
        for (JsonNode row : rows) {
            assertTrue(row.get("seconds").asDouble() > 0, row::toString);
            assertTrue(row.get("wire_bytes").asLong() > 3 * MIB, row::toString);
            boolean flat = Set.of("flat", "zeromq flat", "grpc flat")
                    .contains(row.get("shape").asText());
            assertTrue(!flat || row.get("uplink_ratio").asDouble() > 3, row::toString);
        }
        assertTrue(rows.size() >= 3, rows::toString);
    }

    @Test
    @Tag("slow")
    void openMpiBroadcastsOverSharedMemory() throws IOException {
        assumeTrue(OpenMpi.missing() == null, OpenMpi.missing());
        JsonNode rows = rows("one-host", "--workers=1", "--bytes=1mib", "--broadcasts=2", "--warmup=1", "--rounds=1");
        assertEquals(2, rows.size());
        assertFalse(rows.get(0).get("ratio_to_mpi").isNull(), rows::toString);
    }
}
