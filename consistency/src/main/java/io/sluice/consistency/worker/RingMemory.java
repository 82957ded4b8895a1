package io.sluice.consistency.worker;

import io.sluice.messaging.api.MessagingException;
import io.sluice.tree.FrameRing;
import java.util.function.Supplier;
import org.agrona.BitUtil;

/** The memory of a relay's rings, one for each tree in which it has children, all allocated at the start. */
final class RingMemory {
    private final long trees;
    private final int bytes;

    /**
     * Prepares to allocate the rings, one for each tree.
     *
     * @param trees    trees in which this worker has children
     * @param capacity bytes of each ring, before it is rounded up to a power of two
     */
    RingMemory(long trees, int capacity) {
        this.trees = trees;
        this.bytes = BitUtil.findNextPositivePowerOfTwo(capacity);
    }

    /**
     * Allocates one ring.
     *
     * @param ring allocates it
     * @return the ring
     * @throws MessagingException if the JVM lacks the memory; the message names the need of all rings
     */
    FrameRing allocate(Supplier<FrameRing> ring) {
        try {
            return ring.get();
        } catch (OutOfMemoryError e) {
            throw new MessagingException(
                    String.format(
                            "this worker relays in %,d broadcast trees, with a ring of %,d bytes for each, and the JVM"
                                    + " lacks the direct memory for all of them, %,d bytes (%s): give it"
                                    + " more with -XX:MaxDirectMemorySize, or set a shorter -Dsluice.relay.length",
                            trees, bytes, trees * bytes, e.getMessage()),
                    e);
        }
    }
}
