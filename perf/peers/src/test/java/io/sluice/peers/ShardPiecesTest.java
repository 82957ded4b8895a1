package io.sluice.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ShardPiecesTest {
    /** Servers together own all bytes, and the largest shard is at most one piece larger than the smallest. */
    @ParameterizedTest
    @CsvSource({"1, 1, 4", "4, 3, 4", "4096, 2, 1024", "4100, 2, 1024", "5000, 3, 1024", "100, 7, 1024"})
    void dealsOutAllBytes(long bytes, int servers, int piece) {
        ShardPieces pieces = new ShardPieces(bytes, servers, piece);
        long[] shards = IntStream.range(0, servers).mapToLong(pieces::shard).toArray();
        assertEquals(
                bytes, IntStream.range(0, servers).mapToLong(i -> shards[i]).sum());
        for (long shard : shards) {
            assertTrue(shard >= 0 && shards[0] - shard <= piece, bytes + " bytes: " + shards[0] + " and " + shard);
        }
    }
}
