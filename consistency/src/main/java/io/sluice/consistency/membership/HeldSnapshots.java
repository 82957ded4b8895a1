package io.sluice.consistency.membership;

import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.ProofDecoder;
import io.sluice.consistency.snapshot.SnapshotFolder.Held;
import io.sluice.consistency.snapshot.SnapshotRetention;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which snapshots a node says that it holds: of one run, newest first, up to {@value SnapshotRetention#MOST_COMMITS}.
 * Three have fields of their own, the others follow as bytes.
 */
final class HeldSnapshots {
    private static final int FIELDS = 3;

    private HeldSnapshots() {}

    /** What of a folder can be told: of the run of the newest, as many as there is room for. */
    static List<Held> told(List<Held> held) {
        return held.stream()
                .filter(each -> each.run() == held.getFirst().run())
                .limit(SnapshotRetention.MOST_COMMITS)
                .toList();
    }

    /** Clocks beyond those that have fields. */
    static byte[] older(List<Held> held) {
        List<Held> behind = held.subList(Math.min(FIELDS, held.size()), held.size());
        ByteBuffer clocks = ByteBuffer.allocate(behind.size() * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        behind.forEach(each -> clocks.putLong(each.clock()));
        return clocks.array();
    }

    /** Those of a question. To be read before anything that follows them in it, and after all before. */
    static List<Held> of(JoinDecoder join) {
        byte[] older = new byte[join.olderLength()];
        join.getOlder(older, 0, older.length);
        return of(join.run(), older, join.snapshot1(), join.snapshot2(), join.snapshot3());
    }

    /** As {@link #of(JoinDecoder)}. */
    static List<Held> of(ProofDecoder proof) {
        byte[] older = new byte[proof.olderLength()];
        proof.getOlder(older, 0, older.length);
        return of(proof.run(), older, proof.snapshot1(), proof.snapshot2(), proof.snapshot3());
    }

    /** Clocks below 0 stand for none. */
    private static List<Held> of(long run, byte[] older, long... newest) {
        List<Held> held = new ArrayList<>();
        Arrays.stream(newest).forEach(clock -> add(held, run, clock));
        ByteBuffer clocks = ByteBuffer.wrap(older).order(ByteOrder.LITTLE_ENDIAN);
        while (clocks.remaining() >= Long.BYTES && held.size() < SnapshotRetention.MOST_COMMITS) {
            add(held, run, clocks.getLong());
        }
        return List.copyOf(held);
    }

    private static void add(List<Held> held, long run, long clock) {
        if (clock >= 0) {
            held.add(new Held(run, clock));
        }
    }
}
