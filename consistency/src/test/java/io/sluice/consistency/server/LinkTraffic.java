package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/** What a link carries, frame by frame, as hashes of their bytes: what its sender had to pass on, and what came. */
final class LinkTraffic {
    private final String label;
    private final List<Long> had;
    private final int from;
    private final List<Long> came = new ArrayList<>();
    private boolean whole = true;

    /**
     * Begins with the next frame that the sender gets.
     *
     * @param label for people
     * @param had   what the sender has got so far to pass on, in order; it grows
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

    void came(long hash) {
        came.add(hash);
    }

    /** The sender goes on without it at times, or its receiver is gone: there may be gaps. */
    void hasGaps() {
        whole = false;
    }

    /** Whether nothing more can come, as far as is known. */
    boolean isDone() {
        return !whole || came.size() >= had.size() - from;
    }

    /** How many frames were to come, all of them; 0 if there may be gaps. */
    int frames() {
        return whole ? had.size() - from : 0;
    }

    /** What came is what the sender got, in the same order; all of it, if there are no gaps. */
    void check(String context) {
        List<Long> sent = had.subList(from, had.size());
        if (whole) {
            assertEquals(sent, came, () -> label + ", " + context);
            return;
        }
        int at = 0;
        for (long hash : came) {
            while (at < sent.size() && sent.get(at) != hash) {
                at++;
            }
            assertTrue(at < sent.size(), () -> label + " carries what its sender did not get, or not then, " + context);
            at++;
        }
    }
}
