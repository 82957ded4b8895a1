package io.sluice.consistency.server;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DeclarationDecoder;
import io.sluice.codecs.sbe.MarkDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.PullDecoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Gaps;
import io.sluice.messaging.FrameHandler;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * Takes in what workers send: checks that each frame comes from a worker of the cluster, in its turn, for a slice that
 * lives here, and hands it to the table's shard. A frame that cannot be from a sound peer is rejected and counted, and
 * so is one ahead of its turn that came over a network: what is missing before it is asked for ({@link Gaps}).
 * A frame from a peer that breaks the protocol ends the cluster, because the sums could no longer be trusted.
 */
final class PushIntake implements FrameHandler {
    private final ClusterPlan plan;
    private final DataFrameDecoder decoder;
    private final Declarations declarations;
    private final Shard shard;
    private final PushSources sources;
    private final Consumer<Rejection> reject;
    private final Consumer<String> breach;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final MarkDecoder mark = new MarkDecoder();
    private final PullDecoder pull = new PullDecoder();
    private final ResendDecoder resend = new ResendDecoder();

    /**
     * Creates the intake.
     *
     * @param plan    the cluster
     * @param decoder opens data frames
     * @param shard   built as soon as the tables are known
     * @param sources knows which links count
     * @param reject  counts a frame that is dropped
     * @param breach  ends the cluster with a sentence; must throw
     */
    PushIntake(
            ClusterPlan plan,
            DataFrameDecoder decoder,
            Shard shard,
            PushSources sources,
            Consumer<Rejection> reject,
            Consumer<String> breach) {
        this.plan = plan;
        this.decoder = decoder;
        this.declarations = new Declarations(plan.settings().workerPlaces());
        this.shard = shard;
        this.sources = sources;
        this.reject = reject;
        this.breach = breach;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int node = Frame.origin(buffer, offset);
        int worker = plan.workerIndex(node);
        boolean isServer = worker < 0 && plan.settings().isElastic();
        if (worker < 0 && !isServer || worker >= plan.settings().workerPlaces()) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        if (isServer && !shard.isBuilt()) {
            return Action.ABORT; // workers have yet to declare tables here, of which others may hand over slices by now
        }
        shard.follow(); // a frame of one that has come may be opened as soon as it is known, and only once
        int epoch = Frame.epoch(buffer, offset);
        if (sources.isPast(node, epoch)) {
            return drop(Rejection.STALE_EPOCH);
        }
        if (sources.isToCome(node, epoch)) {
            return Action.ABORT;
        }
        if (isServer) {
            return shard.receiver().onFrame(buffer, offset, length, templateId, session);
        }
        if (shard.isExcused(worker)) {
            return drop(Rejection.STALE_EPOCH); // the others have gone on without it: it must not change sums any more
        }
        return switch (templateId) {
            case DataDecoder.TEMPLATE_ID, MarkDecoder.TEMPLATE_ID -> {
                Rejection rejection = sources.judge(worker, session);
                if (null != rejection) {
                    yield drop(rejection);
                }
                yield DataDecoder.TEMPLATE_ID == templateId
                        ? onData(worker, buffer, offset, length)
                        : onMark(worker, buffer, offset);
            }
            case PullDecoder.TEMPLATE_ID -> onPull(worker, buffer, offset);
            case ResendDecoder.TEMPLATE_ID -> onResend(worker, buffer, offset, session);
            case DeclarationDecoder.TEMPLATE_ID -> onDeclaration(worker, buffer, offset, session, epoch);
            default -> drop(Rejection.UNEXPECTED);
        };
    }

    private Action onData(int worker, DirectBuffer buffer, int offset, int length) {
        data.wrapAndApplyHeader(buffer, offset, header);
        TableShard table = tableOf(worker, data.table());
        long round = data.clock();
        if (null == table || table.position(data.slice()) < 0) {
            Action action = onElsewhere(table, data.slice(), round);
            if (null != action) {
                return action;
            }
        }
        if (data.elements() != table.spec().sliceLength(data.slice())) {
            return drop(Rejection.UNEXPECTED);
        }
        ClockLedger ledger = table.ledger(worker);
        if (ledger.isPast(round, data.sequence())) {
            return repeated(worker);
        }
        if (!ledger.isNext(round, data.sequence())) {
            if (!shard.missing().canAsk(worker)) {
                breach.accept(name(worker, table) + ledger.gapBefore(round, data.sequence()));
            }
            return ahead(worker, data.table());
        }
        shard.missing().arrived(worker, data.table());
        if (isEarly(table, round)) {
            return putOff(worker);
        }
        checkStaleness(worker, table, round);
        int position = table.position(data.slice());
        if (position < 0) {
            return drop(Rejection.UNEXPECTED); // it has gone to another server, or is to come later
        }
        if (data.flags().partial()) {
            checkPartial(worker, table, position, data);
        } else if (sources.change() && table.hasPushed(worker, position, round)) {
            ledger.enter(Frame.checksum(buffer, offset)); // it was in the sum before the worker pushed it again
            return drop(Rejection.DUPLICATE);
        } else if (table.hasPushed(worker, position, round)) {
            breach.accept(name(worker, table) + "pushes slice " + data.slice() + " twice in clock " + round
                    + ", expected one frame that is not a part");
        }
        if (!table.takes(worker, position, round)) {
            return putOff(worker);
        }
        Rejection rejection = decoder.wrap(buffer, offset, length);
        if (null != rejection) {
            return drop(rejection);
        }
        table.accept(worker, position, decoder, buffer, offset, length);
        return Action.CONTINUE;
    }

    /** A slice is not here: null if it is, in this round, and what to do with the frame if not. */
    private Action onElsewhere(TableShard table, int slice, long round) {
        SliceMoves moves = shard.moves();
        if (null == table || null == moves) {
            return drop(Rejection.UNEXPECTED);
        }
        boolean undecided = moves.isUndecided(round); // asked first, or the answer might come in between
        if (moves.gains(table, slice, round)) {
            return null;
        }
        return undecided ? Action.ABORT : drop(Rejection.UNEXPECTED);
    }

    /** The same for a mark. */
    private Action onMarkElsewhere(TableShard table, long round) {
        boolean undecided = shard.moves().isUndecided(round);
        shard.moves().follow();
        if (!table.isAtRest()) {
            return null;
        }
        return undecided ? Action.ABORT : drop(Rejection.UNEXPECTED);
    }

    private Action onMark(int worker, DirectBuffer buffer, int offset) {
        mark.wrapAndApplyHeader(buffer, offset, header);
        TableShard table = tableOf(worker, mark.table());
        if (null == table) {
            return drop(Rejection.UNEXPECTED);
        }
        ClockLedger ledger = table.ledger(worker);
        long round = mark.clock();
        if (round < ledger.round()) {
            return table.isOfBefore(round) ? Action.CONTINUE : repeated(worker); // it ended without its mark
        }
        if (round > ledger.round() && table.isAtRest()) {
            Action action = onMarkElsewhere(table, round);
            if (null != action) {
                return action;
            }
        }
        boolean isAhead = round > ledger.round() || mark.frames() > ledger.frames();
        if (isAhead && shard.missing().canAsk(worker)) {
            return ahead(worker, mark.table());
        }
        if (isAhead || !ledger.agrees(mark.frames(), mark.digest())) {
            breach.accept(name(worker, table) + ledger.disagreement(round, mark.frames(), mark.digest()));
        }
        shard.missing().arrived(worker, mark.table());
        if (isEarly(table, round)) {
            return putOff(worker);
        }
        checkStaleness(worker, table, round);
        table.acceptMark(worker, round);
        return Action.CONTINUE;
    }

    /** A frame that was taken before: expected of a worker that was asked to push again, a fault of any other. */
    private Action repeated(int worker) {
        return shard.missing().hasAsked(worker) ? Action.CONTINUE : drop(Rejection.DUPLICATE);
    }

    /** What is missing before it comes again, and this behind it. */
    private Action ahead(int worker, int table) {
        shard.missing().ahead(worker, table);
        return drop(Rejection.OUT_OF_ORDER);
    }

    private Action putOff(int worker) {
        shard.missing().putOff(worker);
        return Action.ABORT;
    }

    private Action onPull(int worker, DirectBuffer buffer, int offset) {
        pull.wrapAndApplyHeader(buffer, offset, header);
        TableShard table = tableOf(worker, pull.table());
        if (shard.isEarlyPull(worker, pull.clock())) {
            return Action.ABORT;
        }
        if (null == table || pull.clock() < 0 || !shard.pull(worker, table, pull.clock())) {
            return drop(Rejection.UNEXPECTED);
        }
        return Action.CONTINUE;
    }

    private Action onResend(int worker, DirectBuffer buffer, int offset, int session) {
        resend.wrapAndApplyHeader(buffer, offset, header);
        TableShard table = tableOf(worker, resend.table());
        boolean sound = null != table && resend.clock() >= 0 && resend.sequence() >= 0;
        if (FrameWriter.PUSHES == resend.relay() && sound && shard.missing().hasAsked(worker)) {
            sources.goesOn(worker, session);
            return Action.CONTINUE;
        }
        sound = sound && resend.relay() <= FrameWriter.TO_RELAY;
        boolean relay = FrameWriter.TO_RELAY == resend.relay();
        if (!sound || !shard.resend(worker, relay, resend.table(), resend.way(), resend.clock(), resend.sequence())) {
            return drop(Rejection.UNEXPECTED);
        }
        return Action.CONTINUE;
    }

    /** What the tables are is for those to say who were there before this server, or take part. */
    private Action onDeclaration(int worker, DirectBuffer buffer, int offset, int session, int epoch) {
        boolean isNewcomer = plan.settings().isElastic() && epoch > 0;
        if (!sources.hasHeardAll()
                || isNewcomer && sources.isStranger(worker, epoch) && null == declarations.agreed()) {
            return Action.ABORT;
        }
        DeclarationDecoder declaration = new DeclarationDecoder().wrapAndApplyHeader(buffer, offset, header);
        if (0 == declaration.table() && sources.begins(worker, session)) {
            declarations.restart(worker);
            if (sources.change()) {
                shard.restart(worker, sources.firstRound(worker));
            }
        }
        if (declarations.isComplete(worker)) {
            return drop(Rejection.DUPLICATE);
        }
        try {
            int count = declaration.tables();
            TableSpec spec = new TableSpec(
                    declaration.table(),
                    declaration.name(),
                    declaration.rows(),
                    declaration.columns(),
                    declaration.sliceElements());
            declarations.declare(worker, spec, count);
        } catch (IllegalArgumentException e) {
            if (isNewcomer) {
                shard.turnAway(worker, epoch, e.getMessage());
                return drop(Rejection.UNEXPECTED);
            }
            breach.accept(e.getMessage());
        }
        if (!shard.isBuilt() && null != declarations.agreed()) {
            shard.build(declarations.agreed());
        }
        if (shard.isBuilt() && declaration.trees() != shard.plannedTrees()) {
            String other = "worker %d plans other broadcast trees than this server does (digest %08x, here %08x): "
                            .formatted(worker, declaration.trees(), shard.plannedTrees())
                    + "expected the same build at all nodes, and the same planner "
                    + plan.settings().tree();
            if (isNewcomer) {
                shard.turnAway(worker, Frame.epoch(buffer, offset), other);
                return drop(Rejection.UNEXPECTED);
            }
            breach.accept(other);
        }
        return Action.CONTINUE;
    }

    /** Whether a worker has told what all tables are, and not one that had its place before. */
    boolean hasDeclared(int worker) {
        return sources.hasBegun(worker) && declarations.isComplete(worker);
    }

    private TableShard tableOf(int worker, int table) {
        return declarations.isComplete(worker) ? shard.table(table) : null;
    }

    /**
     * What workers have pushed before comes faster than it came then, and not from all at once; and a round may have to
     * wait until it is known who takes part in it.
     */
    private boolean isEarly(TableShard table, long round) {
        return round > table.latestRound() ? sources.areReplaying() : !table.begins(round);
    }

    private void checkStaleness(int worker, TableShard table, long round) {
        if (round > table.latestRound()) {
            breach.accept(name(worker, table) + "pushes clock " + round + ", but with the servers at version "
                    + table.version() + " the bound allows " + table.latestRound());
        }
    }

    /** Parts of slices are for clusters that know them, and come before what ends the slice's round. */
    private void checkPartial(int worker, TableShard table, int position, DataDecoder frame) {
        String what = "sent a part of slice " + frame.slice() + " in clock " + frame.clock() + ", ";
        if (!plan.settings().isManaged()) {
            breach.accept(name(worker, table) + what + "which protocol "
                    + plan.settings().protocol().word() + " does not know");
        }
        if (table.hasPushed(worker, position, frame.clock())) {
            breach.accept(name(worker, table) + what + "of which it had sent the last");
        }
    }

    private static String name(int worker, TableShard table) {
        return "worker " + worker + ", table " + table.spec().name() + ", ";
    }

    private Action drop(Rejection rejection) {
        reject.accept(rejection);
        return Action.CONTINUE;
    }
}
