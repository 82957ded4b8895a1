package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class TreeDigestTest {
    private static final Hop HOP = new Hop(0, List.of(2), false, "a:1");
    private static final Hop SHARED = new Hop(2, List.of(2, 3), true, "");

    private static BroadcastTree tree(int root, long bytes, Hop... hops) {
        return new BroadcastTree(root, bytes, List.of(hops));
    }

    @Test
    void isWhatTheProtocolSays() {
        ByteBuffer bytes = ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(0).putLong(7).putInt(0).putInt(1).putInt(2).putInt(0);
        bytes.putInt(2).putInt(2).putInt(2).putInt(3).putInt(1);
        CRC32C crc = new CRC32C();
        crc.update(bytes.flip());
        assertEquals((int) crc.getValue(), TreeDigest.of(List.of(tree(0, 7, HOP, SHARED))));
    }

    @Test
    void aMovedNodeChangesNothing() {
        Hop moved = new Hop(0, List.of(2), false, "b:9");
        assertEquals(TreeDigest.of(List.of(tree(0, 7, HOP))), TreeDigest.of(List.of(tree(0, 7, moved))));
    }

    @Test
    void whateverElseDiffersShows() {
        List<List<BroadcastTree>> different = List.of(
                List.of(),
                List.of(tree(0, 7, HOP, SHARED)),
                List.of(tree(1, 7, HOP, SHARED)),
                List.of(tree(0, 8, HOP, SHARED)),
                List.of(tree(0, 7, SHARED, HOP)),
                List.of(tree(0, 7, HOP)),
                List.of(tree(0, 7, HOP), tree(0, 7, HOP)),
                List.of(tree(0, 7, new Hop(0, List.of(3), false, "a:1"), SHARED)),
                List.of(tree(0, 7, new Hop(0, List.of(2), true, "a:1"), SHARED)),
                List.of(tree(0, 7, HOP, new Hop(2, List.of(2), true, ""))));
        Set<Integer> digests = new HashSet<>();
        different.forEach(trees -> digests.add(TreeDigest.of(trees)));
        assertEquals(different.size(), digests.size());
    }
}
