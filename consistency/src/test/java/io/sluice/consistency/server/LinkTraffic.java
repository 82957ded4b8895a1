package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/**
 * The frames that a link carries, as hashes of their bytes: those that its sender had to forward and those that
 * arrived.
 */
final class LinkTraffic {
    private final String label;
    private final List<Long> had;
    private final int from;
    private final List<Long> arrived = new ArrayList<>();
    private boolean whole = true;

    /**
     * Starts with the next frame that the sender receives.
     *
     * @param label label for messages
     * @param had   frames that the sender has received so far, in order; the list grows
     */
    LinkTraffic(String label, List<Long> had) {
        this.label = label;
        this.had = had;
        this.from = had.size();
    }

    /** The checksum of a frame's bytes, and its length. */
    static long hash(DirectBuffer buffer, int offset, int length) {
        byte[] frame = new byte[length];
        buffer.getBytes(offset, frame);
        CRC32C crc = new CRC32C();
        crc.update(frame);
        return crc.getValue() << Integer.SIZE | length;
    }

    void arrived(long hash) {
        arrived.add(hash);
    }

    /** Allows gaps from now on: the sender may skip the receiver, or the receiver may have left. */
    void hasGaps() {
        whole = false;
    }

    /** Whether all known frames have arrived. */
    boolean isDone() {
        return !whole || arrived.size() >= had.size() - from;
    }

    /** Number of frames that must arrive; 0 if there may be gaps. */
    int frames() {
        return whole ? had.size() - from : 0;
    }

    /**
     * Checks that the frames that arrived are those of the sender, in the same order, and all of them if there are no
     * gaps.
     */
    void check(String context) {
        List<Long> sent = had.subList(from, had.size());
        if (whole) {
            assertEquals(sent, arrived, () -> label + ", " + context);
            return;
        }
        int at = 0;
        for (long hash : arrived) {
            while (at < sent.size() && sent.get(at) != hash) {
                at++;
            }
            assertTrue(
                    at < sent.size(),
                    () -> label + " carries a frame that its sender did not receive, or not in this order, " + context);
            at++;
        }
    }
}
