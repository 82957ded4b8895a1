package io.sluice.tree;

import java.util.ArrayList;
import java.util.List;

/**
 * What the rings of a node have in common: the node's own way into the network. Where it is full, it holds up all rings
 * that have something to send; a ring that it does not hold up says nothing of it, however much that sends.
 *
 * <p>Used by one thread. Allocates nothing once all rings are there.
 */
public final class Uplink {
    private final List<RingPace> rings = new ArrayList<>();

    /** Of a node without rings so far. */
    public Uplink() {}

    void add(RingPace ring) {
        rings.add(ring);
    }

    /** Bytes per second that links over the network took of late, of all rings that such links held up meanwhile. */
    long takenWhileHeld(long nowNs) {
        long taken = 0;
        for (int i = 0; i < rings.size(); i++) {
            taken += rings.get(i).takenWhileHeld(nowNs);
        }
        return taken;
    }
}
