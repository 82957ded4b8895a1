package io.sluice.consistency.server;

import io.sluice.consistency.wire.SignificantSlices;
import io.sluice.filter.SliceFilter;
import java.util.ArrayList;
import java.util.List;

/**
 * Managed communication at a server (Boesen, section 3.3): once no link has queued frames and no budget is used, the
 * server sends parts of the sums before their versions are complete, the most significant slices first.
 *
 * <p>For the server's thread. Allocates nothing once all tables are declared.
 */
final class EarlyBroadcasts {
    /** Maximum number of frames that one duty cycle hands over. */
    private static final int MOST_AT_ONCE = 16;

    private final Broadcasting broadcasting;
    private final SignificantSlices candidates;
    private final List<Managed> owners = new ArrayList<>();
    private final int[] positions;

    /**
     * Creates the stage without tables.
     *
     * @param broadcasting broadcasting of the server
     * @param slices       slices that the server owns, of all tables
     */
    EarlyBroadcasts(Broadcasting broadcasting, int slices) {
        this.broadcasting = broadcasting;
        this.candidates = new SignificantSlices(slices);
        this.positions = new int[slices];
    }

    /** Hands over frames while the budgets admit them; returns the number of slices. */
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
            Managed owner = owners.get(key);
            owner.versions.broadcastEarly(positions[key], owner.mechanism, owner.threshold);
        }
        return most;
    }

    /**
     * Creates the sink of a table, which offers its changed slices to this stage; {@code mechanism} splits its sums.
     */
    RoundSink of(UpdateBroadcast versions, int slices, SliceFilter mechanism) {
        Managed managed = new Managed(versions, owners.size(), mechanism);
        for (int slice = 0; slice < slices; slice++) {
            positions[owners.size()] = slice;
            owners.add(managed);
        }
        return managed;
    }

    private final class Managed implements RoundSink {
        private static final long START = 0;
        private static final float NOT_YET = -1;

        private final UpdateBroadcast versions;
        private final SliceFilter mechanism;

        /** Key of the first slice; the keys of the others follow. */
        private final int firstKey;

        /** Threshold of the last version: nothing is sent early before there is one. */
        private float threshold = NOT_YET;

        Managed(UpdateBroadcast versions, int firstKey, SliceFilter mechanism) {
            this.versions = versions;
            this.mechanism = mechanism;
            this.firstKey = firstKey;
        }

        @Override
        public void changed(int slice) {
            if (threshold < 0) {
                return;
            }
            int key = firstKey + slice;
            if (versions.maxAbs(slice) > threshold) {
                candidates.offer(key, versions.rank(slice, candidates.turn(key)));
            } else {
                candidates.drop(key);
            }
        }

        @Override
        public void finalise(int slice, long round) {
            candidates.drop(firstKey + slice);
            versions.finalise(slice, round);
        }

        @Override
        public boolean closeRound(long round) {
            if (!versions.closeRound(round)) {
                return false;
            }
            threshold = START == round ? NOT_YET : versions.threshold(round);
            return true;
        }

        @Override
        public boolean isReady(int slice) {
            return versions.isReady(slice);
        }

        @Override
        public float residualMaxAbs() {
            return versions.residualMaxAbs();
        }
    }
}
