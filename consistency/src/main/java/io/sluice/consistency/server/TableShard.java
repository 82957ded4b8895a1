package io.sluice.consistency.server;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.clock.SliceClocks;
import io.sluice.consistency.spi.ConsistencyRule;
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

    /** Positions of slices that another server has not transferred yet. */
    private final BitSet awaited = new BitSet();

    private int openSlices;
    private boolean waiting;
    private RoundGate gate = (table, round) -> true;

    /** Whether the table's first slices here have not arrived yet. */
    private boolean rising;

    /** The round with which the first slices arrived. */
    private long since;

    private long version;
    private long framesTaken;
    private long begun;

    /** Decides whether a table may begin a round. The workers of the round must be known before it begins. */
    interface RoundGate {
        /**
         * Whether a table may begin a round. Called once or more for each round, in order; may change the table for the
         * round.
         */
        boolean mayBegin(TableShard table, long round);
    }

    /**
     * Creates the shard after a round: before round 0, or at the clock of a snapshot.
     *
     * @param spec    the table
     * @param part    slices of the table here
     * @param rule    decides when a slice may be finalised
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

    /** The slices here and their state. */
    TablePart part() {
        return part;
    }

    /**
     * Changes the owned slices from the next round on. Pushes for new slices are deferred until those have {@linkplain
     * #arrived arrived}.
     *
     * @param now     the new part, with the state of slices that stay
     * @param missing positions of slices that have not arrived
     */
    void migrate(TablePart now, int[] missing) {
        own(now);
        rising = false;
        for (int position : missing) {
            awaited.set(position);
        }
    }

    /** Records that the table, which has no slices at this server, receives its first slices with a future round. */
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

    /** Whether the table has no slices here and expects none. */
    boolean isAtRest() {
        return 0 == owned.length && !rising;
    }

    /** Whether a round precedes a time in which the table had no slices here. */
    boolean isOfBefore(long round) {
        return round < since;
    }

    /** Whether a slice that this server owns from this round on has not been transferred completely. */
    boolean awaits(int position) {
        return awaited.get(position);
    }

    /** Records that a slice has been transferred, so that its pushes may be added. */
    void arrived(int position) {
        awaited.clear(position);
        finaliseAll();
        closeRounds();
    }

    /** Describes what the open round waits for although all workers have pushed it. */
    String awaited() {
        String name = " of table " + spec.name();
        if (!awaited.isEmpty()) {
            List<Integer> slices =
                    awaited.stream().mapToObj(position -> owned[position]).toList();
            return "slices " + slices + name + ", which another server has yet to hand over";
        }
        return begun <= version
                ? "the coordinator to decide which workers take part in clock " + (version + 1)
                : "its links to accept the frames of versions up to " + (version + 1) + name;
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
     * Number of data frames added to a sum or held since the start of training, each once. Frames of the first values
     * do not count, as they do not at their sender.
     */
    long framesTaken() {
        return framesTaken;
    }

    /** Sets the number of frames accepted before the round after which this shard starts. */
    void continueFrom(long takenBefore) {
        framesTaken = takenBefore;
    }

    /** Sets the stage that decides, from the next round on, whose pushes are accepted. */
    void gateBy(RoundGate newGate) {
        gate = newGate;
    }

    /** Whether a round has begun or may begin now, so its workers are known. At most the open round. */
    boolean begins(long round) {
        if (round <= begun) {
            return true;
        }
        if (!gate.mayBegin(this, round)) {
            waiting = true;
            return false;
        }
        begun = Math.max(begun, round); // the table may have lost its slices and received others with a later round
        return true;
    }

    /** The last round that has begun. */
    long begun() {
        return begun;
    }

    ClockLedger ledger(int worker) {
        return ledgers[worker];
    }

    /** Expects a worker to repeat its frames from a round on. Parts in the sums stay there. */
    void restart(int worker, long round) {
        ledgers[worker].open(round);
    }

    /** Last round in which all slices are finalised; -1 before the start. */
    long version() {
        return version;
    }

    /**
     * Last version that every worker has, as far as their pushes show: a worker that pushes has the version that the
     * rule requires.
     *
     * @param counts selects workers
     */
    long versionHeldByAllWorkers(IntPredicate counts) {
        long least = Long.MAX_VALUE;
        for (int worker = 0; worker < ledgers.length; worker++) {
            if (counts.test(worker)) {
                ClockLedger ledger = ledgers[worker];
                least = Math.min(least, ledger.frames() > 0 ? ledger.round() : ledger.round() - 1);
            }
        }
        if (Long.MAX_VALUE == least) {
            return version; // no worker is left that could lack a version
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

    /** Whether a worker's part of a slice can be accepted now, or must wait for parts of earlier workers. */
    boolean takes(int worker, int position, long round) {
        return !awaited.get(position) && sums.takes(worker, position, round);
    }

    /** Whether all parts of a worker for a slice in a round have arrived. */
    boolean hasPushed(int worker, int position, long round) {
        return sums.has(worker, position, round);
    }

    /** Describes why a push does not fit the update rule; null if it does. */
    String objection(int position, DataFrameDecoder push) {
        return sums.stage().objection(position, push);
    }

    /**
     * Adds or holds a worker's part of a slice. The caller has checked that it is the next on its link and fits the
     * slice.
     */
    void accept(int worker, int position, DataFrameDecoder frame, DirectBuffer buffer, int offset, int length) {
        boolean partial = frame.partial();
        ledgers[worker].enter(frame.checksum());
        framesTaken += ledgers[worker].round() > START ? 1 : 0; // counted before this frame can close the round
        sums.add(worker, position, frame, buffer, offset, length);
        roundSink.changed(position);
        if (partial) {
            return;
        }
        finalise(position);
        closeRounds();
    }

    /** Closes a worker's round. The caller has checked the round commit. */
    void acceptRoundCommit(int worker, long round) {
        ledgers[worker].open(round + 1);
        for (int position = 0; position < owned.length; position++) {
            sums.closeRound(worker, position, round);
        }
        finaliseAll();
        closeRounds();
    }

    /** Whether worker 0 has pushed the first values of all parameters. */
    boolean hasStart() {
        return ledgers[0].round() > START;
    }

    /**
     * Continues without a worker, which must not be the last one. The parts that this table has accepted from the
     * worker stay, and it waits for no more of them.
     */
    void excuse(int worker) {
        sums.excuse(worker);
        finaliseAll();
        closeRounds();
    }

    /** Accepts a worker's pushes from the next round on. */
    void admit(int worker, long round) {
        ledgers[worker].open(round);
        sums.admit(worker, round - 1);
    }

    /** Stops waiting for a worker's pushes, from the next round on. */
    void leaveOut(int worker) {
        sums.excuse(worker);
    }

    /** Retries slices that waited for the sink or for their round to begin. */
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
        if (!begins(version + 1)) { // the next round may have other slices
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
        sums.stage().finish(position, round);
        roundSink.finalise(position, round);
        finalised[position] = true;
        openSlices--;
    }

    /** Closes all complete rounds: under SSP and TAP the next round may be complete when one closes. */
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
