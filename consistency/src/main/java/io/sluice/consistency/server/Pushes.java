package io.sluice.consistency.server;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.messaging.FrameHandler.Action;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * The checks before the sums: a worker's data frames and round commits pass in the order of sending, within the
 * staleness bound, once their round may begin and the sum can accept them. This is the path of a job whose nodes do not
 * change; subclasses handle joins, leaves and rejoins outside that path.
 */
class Pushes {
    private final Declarations declarations;
    private final Shard shard;
    private final DataFrameDecoder decoder;
    private final boolean knowsParts;
    private final String protocol;
    private final Consumer<Rejection> reject;
    private final Consumer<String> breach;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final RoundCommitDecoder commit = new RoundCommitDecoder();

    /**
     * Creates the gates.
     *
     * @param settings     settings of the cluster
     * @param declarations declarations of workers: a worker pushes once it has declared its tables
     * @param shard        shard, which is built once the tables are known
     * @param reject       counts dropped frames
     * @param breach       ends the cluster with a sentence; must throw
     */
    Pushes(
            ClusterSettings settings,
            Declarations declarations,
            Shard shard,
            Consumer<Rejection> reject,
            Consumer<String> breach) {
        this.declarations = declarations;
        this.shard = shard;
        this.decoder = new DataFrameDecoder(settings.sliceElements(), Policies.newAcceptedCompressors(settings));
        this.knowsParts = settings.isManaged();
        this.protocol = settings.protocol().configName();
        this.reject = reject;
        this.breach = breach;
    }

    /** Processes a data frame. */
    Action onData(int worker, DirectBuffer buffer, int offset, int length, int session) {
        data.wrapAndApplyHeader(buffer, offset, header);
        TableShard table = tableOf(worker, data.table());
        long round = data.clock();
        if (null == table) {
            return drop(Rejection.UNEXPECTED);
        }
        if (table.position(data.slice()) < 0) {
            Action action = elsewhere(table, data.slice(), round);
            if (null != action) {
                return action;
            }
        }
        if (data.elements() != table.spec().sliceLength(data.slice())) {
            return drop(Rejection.UNEXPECTED);
        }
        ClockLedger ledger = table.ledger(worker);
        if (!ledger.isNext(round, data.sequence())) {
            return outOfOrder(worker, table, ledger);
        }
        shard.missing().arrived(worker, data.table());
        if (round > table.latestRound()) {
            return beyondBound(worker, table, round);
        }
        if (!table.begins(round)) {
            return defer(worker);
        }
        int position = table.position(data.slice());
        if (position < 0) {
            return drop(Rejection.UNEXPECTED); // another server owns the slice, or this one has not received it yet
        }
        if (data.flags().partial()) {
            checkPart(worker, table, position);
        } else if (table.hasPushed(worker, position, round)) {
            return twice(worker, table, round, data.slice(), Frame.checksum(buffer, offset));
        }
        if (!table.takes(worker, position, round)) {
            return defer(worker);
        }
        Rejection rejection = decoder.wrap(buffer, offset, length);
        if (null != rejection) {
            return drop(rejection);
        }
        String objection = table.objection(position, decoder);
        if (null != objection) {
            breach(worker, table, objection);
        }
        table.accept(worker, position, decoder, buffer, offset, length);
        return Action.CONTINUE;
    }

    private Action outOfOrder(int worker, TableShard table, ClockLedger ledger) {
        if (ledger.isPast(data.clock(), data.sequence())) {
            return repeated(worker);
        }
        if (!shard.missing().canAsk(worker)) {
            breach(worker, table, ledger.gapBefore(data.clock(), data.sequence()));
        }
        return ahead(worker, table);
    }

    /** Processes a round commit. */
    Action onRoundCommit(int worker, DirectBuffer buffer, int offset, int session) {
        commit.wrapAndApplyHeader(buffer, offset, header);
        TableShard table = tableOf(worker, commit.table());
        if (null == table) {
            return drop(Rejection.UNEXPECTED);
        }
        ClockLedger ledger = table.ledger(worker);
        long round = commit.clock();
        if (round < ledger.round()) {
            return table.isOfBefore(round)
                    ? Action.CONTINUE
                    : repeated(worker); // the round has ended without this round commit
        }
        if (round > ledger.round() && table.isAtRest()) {
            return commitElsewhere(round);
        }
        boolean isAhead = round > ledger.round() || commit.frames() > ledger.frames();
        if (isAhead && shard.missing().canAsk(worker)) {
            return ahead(worker, table);
        }
        if (isAhead || !ledger.agrees(commit.frames(), commit.digest())) {
            breach(worker, table, ledger.disagreement(round, commit.frames(), commit.digest()));
        }
        shard.missing().arrived(worker, commit.table());
        if (round > table.latestRound()) {
            return beyondBound(worker, table, round);
        }
        if (!table.begins(round)) {
            return defer(worker);
        }
        table.acceptRoundCommit(worker, round);
        return Action.CONTINUE;
    }

    /** Handles a frame whose slice this server does not own in this round; null if it owns the slice. */
    Action elsewhere(TableShard table, int slice, long round) {
        return drop(Rejection.UNEXPECTED);
    }

    /** Handles a round commit of a table without slices here in this round. */
    Action commitElsewhere(long round) {
        return drop(Rejection.UNEXPECTED);
    }

    /** Reports a worker that pushes a round before the rule allows it. */
    Action beyondBound(int worker, TableShard table, long round) {
        breach(
                worker,
                table,
                "pushes clock " + round + ", but with the servers at version " + table.version() + " the bound allows "
                        + table.latestRound());
        return Action.CONTINUE;
    }

    /** Reports a worker that pushes a slice twice in a round. */
    Action twice(int worker, TableShard table, long round, int slice, int checksum) {
        breach(
                worker,
                table,
                "pushes slice " + slice + " twice in clock " + round + ", expected one frame that is not a part");
        return Action.CONTINUE;
    }

    /** Handles a repeated frame, which is a breach unless this server has requested repetition. */
    private Action repeated(int worker) {
        return shard.missing().hasAsked(worker) ? Action.CONTINUE : drop(Rejection.DUPLICATE);
    }

    /** Defers a frame: the worker repeats the missing frames, and then this one. */
    private Action ahead(int worker, TableShard table) {
        shard.missing().ahead(worker, table.spec().id());
        return drop(Rejection.OUT_OF_ORDER);
    }

    /** Leaves a frame in its log. */
    final Action defer(int worker) {
        shard.missing().defer(worker);
        return Action.ABORT;
    }

    private TableShard tableOf(int worker, int table) {
        return declarations.isComplete(worker) ? shard.table(table) : null;
    }

    /** Parts of slices need managed communication, and precede the end of the slice's round. */
    private void checkPart(int worker, TableShard table, int position) {
        if (!knowsParts) {
            breachOfPart(worker, table, "which protocol " + protocol + " does not allow");
        }
        if (table.hasPushed(worker, position, data.clock())) {
            breachOfPart(worker, table, "of which it had sent the last");
        }
    }

    private void breachOfPart(int worker, TableShard table, String why) {
        breach(worker, table, "sent a part of slice " + data.slice() + " in clock " + data.clock() + ", " + why);
    }

    private void breach(int worker, TableShard table, String what) {
        breach.accept("worker " + worker + ", table " + table.spec().name() + ", " + what);
    }

    /** Drops a frame, and counts it. */
    final Action drop(Rejection rejection) {
        reject.accept(rejection);
        return Action.CONTINUE;
    }

    /**
     * The gates of a job whose slices move between servers (decision 7): this server may own a slice in a later round
     * that it does not own now.
     */
    static final class OfMovingSlices extends Pushes {
        private final Shard shard;

        OfMovingSlices(
                ClusterSettings settings,
                Declarations declarations,
                Shard shard,
                Consumer<Rejection> reject,
                Consumer<String> breach) {
            super(settings, declarations, shard, reject, breach);
            this.shard = shard;
        }

        @Override
        Action elsewhere(TableShard table, int slice, long round) {
            boolean undecided =
                    shard.moves().isUndecided(round); // read first, because the decision may arrive in between
            if (shard.moves().gains(table, slice, round)) {
                return null;
            }
            return undecided ? Action.ABORT : drop(Rejection.UNEXPECTED);
        }

        @Override
        Action commitElsewhere(long round) {
            return shard.moves().isUndecided(round) ? Action.ABORT : drop(Rejection.UNEXPECTED);
        }
    }

    /**
     * The gates of a job whose nodes rejoin and continue from a snapshot (decision 9): a node that rejoins repeats its
     * pushes, on another link and faster than before.
     */
    static final class OfReturningNodes extends Pushes {
        private final Declarations declarations;
        private final boolean isReplayed;

        /** Creates the gates of a server, which may have rejoined. */
        OfReturningNodes(
                ClusterSettings settings,
                Declarations declarations,
                Shard shard,
                Consumer<Rejection> reject,
                Consumer<String> breach,
                boolean isReplayed) {
            super(settings, declarations, shard, reject, breach);
            this.declarations = declarations;
            this.isReplayed = isReplayed;
        }

        @Override
        Action onData(int worker, DirectBuffer buffer, int offset, int length, int session) {
            return declarations.isCurrent(worker, session)
                    ? super.onData(worker, buffer, offset, length, session)
                    : drop(Rejection.DUPLICATE);
        }

        @Override
        Action onRoundCommit(int worker, DirectBuffer buffer, int offset, int session) {
            return declarations.isCurrent(worker, session)
                    ? super.onRoundCommit(worker, buffer, offset, session)
                    : drop(Rejection.DUPLICATE);
        }

        @Override
        Action beyondBound(int worker, TableShard table, long round) {
            return isReplayed ? defer(worker) : super.beyondBound(worker, table, round);
        }

        @Override
        Action twice(int worker, TableShard table, long round, int slice, int checksum) {
            table.ledger(worker).enter(checksum); // the sum contained the frame before the worker repeated it
            return drop(Rejection.DUPLICATE);
        }
    }
}
