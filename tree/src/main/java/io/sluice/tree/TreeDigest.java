package io.sluice.tree;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.CRC32C;

/** A digest of broadcast trees. Nodes plan them independently and compare digests to check that their plans agree. */
public final class TreeDigest {
    /** Number of fields of a hop: sender, number of receivers, medium. */
    private static final int HOP_FIELDS = 3;

    private TreeDigest() {}

    /**
     * Computes the CRC-32C over roots, bytes and hops, each in order. It leaves out endpoints, because nodes may move.
     *
     * @param trees trees of all servers
     * @return a number that is equal for equal trees and almost always different for others
     */
    public static int of(List<BroadcastTree> trees) {
        CRC32C crc = new CRC32C();
        for (BroadcastTree tree : trees) {
            ByteBuffer head = buffer(Integer.BYTES + Long.BYTES);
            crc.update(head.putInt(tree.root()).putLong(tree.bytes()).flip());
            for (Hop hop : tree.hops()) {
                ByteBuffer fields = buffer((HOP_FIELDS + hop.to().size()) * Integer.BYTES);
                fields.putInt(hop.from()).putInt(hop.to().size());
                hop.to().forEach(fields::putInt);
                crc.update(fields.putInt(hop.sharedMemory() ? 1 : 0).flip());
            }
        }
        return (int) crc.getValue();
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
