package io.sluice.consistency.server;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.clock.ConsistencyRule;
import io.sluice.consistency.clock.SliceClocks;
import io.sluice.consistency.terms.TableSpec;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import org.agrona.DirectBuffer;

/**
 * The part of one table that a server owns: how far each worker has pushed, and which slices of the open round are
 * finalised.
 *
 * <p>A slice is finalised as soon as the rule allows, not when the whole round is complete. The round closes, and the
 * version rises, when all its slices are finalised. A worker that has nothing for a slice sends no frame for it: its
 * round commit covers all slices that it left out.
 */
final class TableShard {
    private static final long START = 0;

    private final TableSpec spec;
    private TablePart part;
    private int[] owned;
    private int[] positions;
    private SliceSums sums;
    private SliceClocks clocks;
    private final ClockLedger[] ledgers;
    private final ConsistencyRule rule;
    private RoundSink roundSink;
    private boolean[] finalised;

    /** Positions of slices that another server has yet to hand over. */
    private final BitSet awaited = new BitSet();

    private int openSlices;
    private boolean waiting;
    private RoundStart start = (table, round) -> true;

    /** Whether the table has no slices here yet, and its first slices have yet to arrive. */
    private boolean rising;

    /** The round with which the first slices arrived. */
    private long since;

    private long version;
    private long framesTaken;
    private long begun;

    /** Decides whether a table may begin a round. The workers of the round must be known before it begins. */
    interface RoundStart {
        /** Asked once or more for each round, in order; may change the table for the round. */
        boolean mayBegin(TableShard table, long round);
    }

    /**
     * Creates the shard behind a round: before round 0, or where a snapshot was taken.
     *
     * @param spec    the table
     * @param part    its slices here
     * @param rule    when a slice may be finalised
     * @param version the last round finalised, which is in the sums; -1 for none
     */
    TableShard(TableSpec spec, TablePart part, ConsistencyRule rule, long version) {
        this.spec = spec;
        this.rule = rule;
        this.version = version;
        this.begun = version + 1;
        this.ledgers = new ClockLedger[part.sums().clocks().workers()];
        Arrays.setAll(ledgers, worker -> new ClockLedger(version + 1));
        own(part);
    }

    private void own(TablePart now) {
        part = now;
        owned = now.slices();
        sums = now.sums();
        roundSink = now.roundSink();
        clocks = sums.clocks();
        positions = new int[spec.slices()];
        Arrays.fill(positions, -1);
        for (int i = 0; i < owned.length; i++) {
            positions[owned[i]] = i;
        }
        finalised = new boolean[owned.length];
        openSlices = owned.length;
    }

    /** The slices here, and what belongs to them. */
    TablePart part() {
        return part;
    }

    /**
     * Owns other slices from the round on that is about to begin. What comes of those that are new here is put off
     * until they are {@linkplain #arrived there}.
     *
     * @param now     has what the part before has of slices that are in both
     * @param missing positions of the others
     */
    void migrate(TablePart now, int[] missing) {
        own(now);
        rising = false;
        for (int position : missing) {
            awaited.set(position);
        }
    }

    /** Begins to be here with a round that is not begun yet, for a table of which nothing was here so far. */
    void rise(long round) {
        since = round;
        version = round - 1;
        begun = round - 1;
        for (ClockLedger ledger : ledgers) {
            ledger.open(round);
        }
        rising = true;
        waiting = true;
    }

    /** Whether nothing is here, nor comes: what this says of rounds is of times long past. */
    boolean isAtRest() {
        return 0 == owned.length && !rising;
    }

    /** Whether a round was here before there were no slices here for a while. */
    boolean isOfBefore(long round) {
        return round < since;
    }

    /** Whether something of a slice, which is here from this round on, is yet to be handed over by another server. */
    boolean awaits(int position) {
        return awaited.get(position);
    }

    /** A slice has been handed over: its pushes may be added. */
    void arrived(int position) {
        awaited.clear(position);
        finaliseAll();
        closeRounds();
    }

    /** What the open round waits for where all workers have pushed it, in words. */
    String awaited() {
        String name = " of table " + spec.name();
        if (!awaited.isEmpty()) {
            List<Integer> slices =
                    awaited.stream().mapToObj(position -> owned[position]).toList();
            return "slices " + slices + name + ", which another server hands over";
        }
        return begun <= version
                ? "the coordinator to say who takes part in clock " + (version + 1)
                : "its links to take version " + (version + 1) + name;
    }

    TableSpec spec() {
        return spec;
    }

    RoundSink roundSink() {
        return roundSink;
    }

    SliceStore sums() {
        return sums.store();
    }

    /**
     * Data frames of workers that are in a sum, or held until they may be, since the training began, each once. Those
     * of the first values are not counted where they are sent, either.
     */
    long framesTaken() {
        return framesTaken;
    }

    /** Others have taken in so much up to the round behind which this shard begins. */
    void goOnFrom(long takenBefore) {
        framesTaken = takenBefore;
    }

    /** Decides from the next round on whose pushes it takes. */
    void startBy(RoundStart newStart) {
        start = newStart;
    }

    /** Whether a round has begun, or may begin now: then it is known whose pushes it takes. At most the open one. */
    boolean begins(long round) {
        if (round <= begun) {
            return true;
        }
        if (!start.mayBegin(this, round)) {
            waiting = true;
            return false;
        }
        begun = Math.max(begun, round); // it may have gone, and come back with a later one
        return true;
    }

    /** The last round that has begun. */
    long begun() {
        return begun;
    }

    ClockLedger ledger(int worker) {
        return ledgers[worker];
    }

    /** Expects a worker's frames from a round on: it sends them again. What is in the sums already stays as it is. */
    void restart(int worker, long round) {
        ledgers[worker].open(round);
    }

    /** Last round that all slices have finalised; -1 before the start. */
    long version() {
        return version;
    }

    /**
     * Last version that every worker has, as far as their pushes show: a worker that pushes has what the rule needs.
     *
     * @param counts which workers matter
     */
    long versionAtAll(IntPredicate counts) {
        long least = Long.MAX_VALUE;
        for (int worker = 0; worker < ledgers.length; worker++) {
            if (counts.test(worker)) {
                ClockLedger ledger = ledgers[worker];
                least = Math.min(least, ledger.frames() > 0 ? ledger.round() : ledger.round() - 1);
            }
        }
        if (Long.MAX_VALUE == least) {
            return version; // no worker is left that could lack anything
        }
        return least < 1 ? -1 : rule.requiredVersion(least - 1);
    }

    /** Position of a slice among those owned, or -1. */
    int position(int slice) {
        return slice < positions.length ? positions[slice] : -1;
    }

    /** Last round that a worker may push now without breaking the staleness bound. */
    long latestRound() {
        return rule.latestRound(version);
    }

    /** Whether a worker's part of a slice can be taken now, or must wait for that of workers before it. */
    boolean takes(int worker, int position, long round) {
        return !awaited.get(position) && sums.takes(worker, position, round);
    }

    /** Whether all that a worker gives to a slice in a round is in. */
    boolean hasPushed(int worker, int position, long round) {
        return sums.has(worker, position, round);
    }

    /** Takes a worker's part of a slice; it has been checked to be the next on its link, and to fit the slice. */
    void accept(int worker, int position, DataFrameDecoder frame, DirectBuffer buffer, int offset, int length) {
        boolean partial = frame.partial();
        ledgers[worker].enter(frame.checksum());
        framesTaken += ledgers[worker].round() > START ? 1 : 0; // before it can close the round
        sums.add(worker, position, frame, buffer, offset, length);
        roundSink.changed(position);
        if (partial) {
            return;
        }
        finalise(position);
        closeRounds();
    }

    /** Closes a worker's round; the mark has been checked to agree. */
    void acceptRoundCommit(int worker, long round) {
        ledgers[worker].open(round + 1);
        for (int position = 0; position < owned.length; position++) {
            sums.closeRound(worker, position, round);
        }
        finaliseAll();
        closeRounds();
    }

    /** Whether the first worker has given all parameters their first values. */
    boolean hasStart() {
        return ledgers[0].round() > START;
    }

    /** Goes on without a worker, which must not be the last: what came of it stays, and nothing more is awaited. */
    void excuse(int worker) {
        sums.excuse(worker);
        finaliseAll();
        closeRounds();
    }

    /** Takes pushes of a worker from a round on, which is about to begin. */
    void admit(int worker, long round) {
        ledgers[worker].open(round);
        sums.admit(worker, round - 1);
    }

    /** Awaits nothing of a worker in the round that is about to begin, nor behind it. */
    void leaveOut(int worker) {
        sums.excuse(worker);
    }

    /** Tries again what had to wait, for the way out or for the round to begin. */
    int work() {
        int work = roundSink.work();
        if (waiting) {
            int before = openSlices;
            long versionBefore = version;
            finaliseAll();
            closeRounds();
            work += before != openSlices || versionBefore != version ? 1 : 0;
        }
        return work;
    }

    private void finaliseAll() {
        waiting = false;
        if (!begins(version + 1)) { // which may have other slices here than before
            return;
        }
        for (int position = 0; position < owned.length; position++) {
            finalise(position);
        }
    }

    private void finalise(int position) {
        long round = version + 1;
        boolean open = !finalised[position] && !awaited.get(position) && begins(round);
        if (!open || !rule.mayFinalise(round, clocks, position)) {
            return;
        }
        if (!roundSink.isReady(position)) {
            waiting = true;
            return;
        }
        roundSink.finalise(position, round);
        finalised[position] = true;
        openSlices--;
    }

    /** Under SSP and TAP the next round may be complete already when one closes. */
    private void closeRounds() {
        while (0 == openSlices && owned.length > 0) {
            if (!roundSink.closeRound(version + 1)) {
                waiting = true;
                return;
            }
            version++;
            openSlices = owned.length;
            Arrays.fill(finalised, false);
            finaliseAll();
        }
    }
}
