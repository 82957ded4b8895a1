package io.sluice.consistency.server;

import io.sluice.consistency.wire.SignificantSlices;
import io.sluice.filter.SliceFilter;
import java.util.ArrayList;
import java.util.List;

/**
 * Managed communication at a server (Boesen, section 3.3): what has gathered in the sums of all tables goes out before
 * their versions are complete, the most significant slices first, when the budgets of all links have run empty and
 * nothing waits for them.
 *
 * <p>For the server's thread. Allocates nothing once all tables are there.
 */
final class EarlyBroadcasts {
    /** Frames that one duty cycle hands over at most, whatever a burst holds. */
    private static final int MOST_AT_ONCE = 16;

    private final Broadcasting broadcasting;
    private final SliceFilter mechanism;
    private final SignificantSlices candidates;
    private final List<UpdateBroadcast> owners = new ArrayList<>();
    private final int[] positions;

    /**
     * Makes one without tables.
     *
     * @param broadcasting of the server
     * @param mechanism    that splits sums
     * @param slices       that the server owns, of all tables
     */
    EarlyBroadcasts(Broadcasting broadcasting, SliceFilter mechanism, int slices) {
        this.broadcasting = broadcasting;
        this.mechanism = mechanism;
        this.candidates = new SignificantSlices(slices);
        this.positions = new int[slices];
    }

    /** Takes a table in; returns the key of its first slice, behind which the others follow. */
    int join(UpdateBroadcast table, int slices) {
        int first = owners.size();
        for (int slice = 0; slice < slices; slice++) {
            positions[owners.size()] = slice;
            owners.add(table);
        }
        return first;
    }

    SignificantSlices candidates() {
        return candidates;
    }

    /** Hands over what budgets have room for now; returns the number of slices. */
    int work() {
        if (candidates.isEmpty()) {
            return 0;
        }
        int most = Math.min(broadcasting.spare(), MOST_AT_ONCE);
        for (int slices = 0; slices < most; slices++) {
            int key = candidates.take();
            if (SignificantSlices.NONE == key) {
                return slices;
            }
            owners.get(key).broadcastEarly(positions[key], mechanism);
        }
        return most;
    }
}
