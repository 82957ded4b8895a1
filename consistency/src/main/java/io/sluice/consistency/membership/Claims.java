package io.sluice.consistency.membership;

import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.ProofDecoder;
import io.sluice.consistency.snapshot.SnapshotFolder.Held;
import io.sluice.consistency.snapshot.SnapshotRetention;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The claims of a node in its request to join, besides its place. On the wire, three clocks of snapshots have fields of
 * their own. The others follow as bytes, then -3 and the last logged clock after each snapshot, -2 and changes of the
 * worker set, and -1 and the declared terms, if there are any, so that a Join keeps its layout.
 *
 * @param held     snapshots of one run, newest first, up to {@value SnapshotRetention#MOST_COMMITS}
 * @param changes  for a server, changes of the worker set up to the newest of these, coded ({@link
 *                 WorkerSetChange#code})
 * @param declared terms of its trainer, as {@link DeclaredTerms#text} writes them
 */
record Claims(List<Held> held, List<Long> changes, String declared) {
    static final Claims NONE = new Claims(List.of(), List.of(), "");

    /** Bound on the number of changes, above that of any welcome. */
    static final int MOST_CHANGES = 2_000;

    private static final int FIELDS = 3;
    private static final long NO_MORE_CLOCKS = -1;
    private static final long CHANGES = -2;
    private static final long LOGGED = -3;

    /** The snapshots of a folder that a join can state: those of the newest run, as many as fit. */
    static List<Held> stated(List<Held> held) {
        return held.stream()
                .filter(each -> each.run() == held.getFirst().run())
                .limit(SnapshotRetention.MOST_COMMITS)
                .toList();
    }

    long run() {
        return held.isEmpty() ? 0 : held.getFirst().run();
    }

    /** Whether the node holds a snapshot of the same run and clock. */
    boolean holds(Held other) {
        return held.stream().anyMatch(each -> each.run() == other.run() && each.clock() == other.clock());
    }

    /** Whether the node can restore a clock of a run. */
    boolean restores(long ofRun, long clock) {
        return held.stream().anyMatch(each -> each.restores(ofRun, clock));
    }

    /** The clock of a snapshot that has a field of its own; -1 if there is none. */
    long clock(int i) {
        return i < held.size() ? held.get(i).clock() : NO_MORE_CLOCKS;
    }

    /** Encodes the claims that have no field of their own. */
    byte[] older() {
        List<Held> behind = held.subList(Math.min(FIELDS, held.size()), held.size());
        byte[] text = declared.getBytes(StandardCharsets.UTF_8);
        boolean logged = held.stream().anyMatch(each -> each.last() > each.clock());
        int length = behind.size() * Long.BYTES
                + (logged ? (1 + held.size()) * Long.BYTES : 0)
                + (changes.isEmpty() ? 0 : (1 + changes.size()) * Long.BYTES)
                + (0 == text.length ? 0 : Long.BYTES + text.length);
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        behind.forEach(each -> bytes.putLong(each.clock()));
        if (logged) {
            bytes.putLong(LOGGED);
            held.forEach(each -> bytes.putLong(each.last()));
        }
        if (!changes.isEmpty()) {
            bytes.putLong(CHANGES);
            changes.forEach(bytes::putLong);
        }
        if (text.length > 0) {
            bytes.putLong(NO_MORE_CLOCKS).put(text);
        }
        return bytes.array();
    }

    /** Reads the claims of a join, after the fields before them and before the fields after them. */
    static Claims of(JoinDecoder join) {
        byte[] older = new byte[join.olderLength()];
        join.getOlder(older, 0, older.length);
        return of(join.run(), older, join.snapshot1(), join.snapshot2(), join.snapshot3());
    }

    /** Reads the claims of a proof, as {@link #of(JoinDecoder)} reads those of a join. */
    static Claims of(ProofDecoder proof) {
        byte[] older = new byte[proof.olderLength()];
        proof.getOlder(older, 0, older.length);
        return of(proof.run(), older, proof.snapshot1(), proof.snapshot2(), proof.snapshot3());
    }

    /** Ignores clocks below 0, which mean that there is none. The bytes may be arbitrary. */
    private static Claims of(long run, byte[] older, long... newest) {
        List<Held> held = new ArrayList<>();
        Arrays.stream(newest).forEach(clock -> add(held, run, clock));
        List<Long> changes = new ArrayList<>();
        long what = NO_MORE_CLOCKS;
        int logged = 0;
        ByteBuffer bytes = ByteBuffer.wrap(older).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.remaining() >= Long.BYTES) {
            long number = bytes.getLong();
            if (NO_MORE_CLOCKS == number) {
                String declared = DeclaredTerms.received(older, bytes.position());
                return new Claims(List.copyOf(held), List.copyOf(changes), declared);
            }
            if (CHANGES == number || LOGGED == number) {
                what = number;
            } else if (CHANGES == what && changes.size() <= MOST_CHANGES) {
                changes.add(number);
            } else if (LOGGED == what && logged < held.size()) {
                Held before = held.get(logged);
                held.set(logged++, new Held(run, before.clock(), Math.max(before.clock(), number)));
            } else if (NO_MORE_CLOCKS == what && held.size() < SnapshotRetention.MOST_COMMITS) {
                add(held, run, number);
            }
        }
        return new Claims(List.copyOf(held), List.copyOf(changes), "");
    }

    private static void add(List<Held> held, long run, long clock) {
        if (clock >= 0) {
            held.add(new Held(run, clock));
        }
    }
}
