package io.sluice.consistency.worker;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.wire.Gaps;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NotFiniteException;
import io.sluice.messaging.FrameHandler;
import io.sluice.tree.RouteTable;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.agrona.DirectBuffer;

/**
 * Applies broadcasts. Checks that each frame is from the owner of its slice and is the next one, and adds its block to
 * the replica without a copy: from the log if the frame is unfragmented and unsealed, otherwise from the buffer in
 * which the inbox has assembled or decrypted it. A missing frame is a protocol breach here.
 *
 * <p>Checks that only some terms need are in {@link IntakeGates}, which the assembly puts in front.
 */
class BroadcastIntake implements FrameHandler {
    private final Parts parts;
    private final ClusterPlan plan;
    private final Membership membership;
    private final RouteTable routes;
    private final List<Table> tables;
    private final DataFrameDecoder decoder;
    private final BlockAccumulator accumulator;
    private final PartialCheck partials;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final RoundCommitDecoder commit = new RoundCommitDecoder();

    /** The parts of an intake: the routes of the frames, and counters of dropped frames and decoded bytes. */
    record Parts(
            Membership membership,
            RouteTable routes,
            List<Table> tables,
            SnapshotStage snapshots,
            Kernels kernels,
            Consumer<Rejection> reject,
            LongConsumer decoded) {}

    /** Handles a frame that is marked as one part of its slice's update in a clock. */
    @FunctionalInterface
    private interface PartialCheck {
        void onPartial(int server, Table table, DataDecoder part);
    }

    BroadcastIntake(Parts parts) {
        this.parts = parts;
        this.membership = parts.membership;
        this.plan = membership.plan();
        this.routes = parts.routes;
        this.tables = parts.tables;
        this.decoder =
                new DataFrameDecoder(plan.settings().sliceElements(), Policies.newAcceptedCompressors(plan.settings()));
        this.accumulator = new BlockAccumulator(parts.kernels);
        this.partials = plan.settings().isManaged() ? (server, table, part) -> {} : this::refuse;
    }

    private void refuse(int server, Table table, DataDecoder part) {
        throw breach(
                server,
                table,
                "sent a part of slice " + part.slice() + " in clock " + part.clock() + ", which protocol "
                        + plan.settings().protocol().configName() + " does not allow");
    }

    @Override
    public final Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int server = Frame.origin(buffer, offset);
        if (!isSender(server)) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        return switch (templateId) {
            case DataDecoder.TEMPLATE_ID -> onData(server, buffer, offset, length);
            case RoundCommitDecoder.TEMPLATE_ID -> onRoundCommit(server, buffer, offset);
            case ErrorDecoder.TEMPLATE_ID -> throw cannotContinue(buffer, offset);
            default -> drop(Rejection.UNEXPECTED);
        };
    }

    private ClusterException cannotContinue(DirectBuffer buffer, int offset) {
        ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, offset, header);
        return membership.fail(Failure.PEER_FAILED, error.message());
    }

    private Action onData(int server, DirectBuffer buffer, int offset, int length) {
        data.wrapAndApplyHeader(buffer, offset, header);
        Table table = tableOf(server, data.table());
        int slice = data.slice();
        if (null == table
                || !isSenderOf(server, table, slice)
                || data.elements() != table.spec().sliceLength(slice)) {
            return drop(Rejection.UNEXPECTED);
        }
        int tree = routes.tree(server, data.table(), slice);
        ClockLedger ledger = ledger(tree, table, data.clock());
        if (null == ledger || ledger.isPast(data.clock(), data.sequence())) {
            return drop(Rejection.DUPLICATE);
        }
        if (!ledger.isNext(data.clock(), data.sequence())) {
            return onGap(server, table, tree, data.clock(), data.sequence());
        }
        if (isDeferred(server, tree, table, data.clock())) {
            return Action.ABORT;
        }
        if (data.flags().partial()) {
            partials.onPartial(server, table, data);
        }
        if (table.intake().hasApplied(slice, data.clock())) {
            ledger.enter(Frame.checksum(buffer, offset)); // the frame was applied before the server repeated it
            onArrival(tree, table);
            return drop(Rejection.DUPLICATE);
        }
        requireExpected(server, table, slice, data.clock());
        Rejection rejection = apply(server, table, slice, buffer, offset, length);
        if (null != rejection) {
            return drop(rejection);
        }
        ledger.enter(decoder.checksum());
        onApplied(table, slice, data.clock());
        if (table.spec().consumed()) {
            parts.snapshots.onVectors(buffer, offset, length);
        }
        table.intake().applied(slice, data.clock());
        table.ownWrites().applied(slice, data.clock());
        onArrival(tree, table);
        return Action.CONTINUE;
    }

    private Rejection apply(int server, Table table, int slice, DirectBuffer buffer, int offset, int length) {
        Rejection rejection = decoder.wrap(buffer, offset, length);
        if (null != rejection) {
            return rejection;
        }
        parts.decoded.accept(decoder.payloadLength());
        long at = table.offset(slice);
        table.writes().begin(slice);
        try {
            return merge(accumulator, decoder, table.replica(), at, table.spec().sliceLength(slice));
        } catch (NotFiniteException e) {
            throw membership.fail(
                    Failure.NOT_FINITE,
                    plan.nameOf(server) + " broadcast " + e.added() + " for "
                            + table.spec().at(slice, e.element()) + " in version " + decoder.clock()
                            + ", which makes the parameter " + e.sum() + ", expected finite numbers");
        } finally {
            table.writes().end(slice);
        }
    }

    private Action onRoundCommit(int server, DirectBuffer buffer, int offset) {
        commit.wrapAndApplyHeader(buffer, offset, header);
        Table table = tableOf(server, commit.table());
        int tree = routes.tree(server, commit.route());
        if (null == table || RouteTable.NONE == tree || !table.intake().expects(tree)) {
            return drop(Rejection.UNEXPECTED);
        }
        long version = commit.clock();
        ClockLedger ledger = ledger(tree, table, version);
        if (null == ledger || version < ledger.round()) {
            return drop(Rejection.DUPLICATE);
        }
        if (version > ledger.round() || commit.frames() > ledger.frames()) {
            return onEarlyRoundCommit(server, table, tree, ledger);
        }
        if (!ledger.agrees(commit.frames(), commit.digest())) {
            throw disagreement(server, table, ledger);
        }
        if (isDeferred(server, tree, table, version)) {
            return Action.ABORT;
        }
        ledger.open(version + 1);
        table.intake().close(tree, version);
        onArrival(tree, table);
        return Action.CONTINUE;
    }

    private ClusterException disagreement(int server, Table table, ClockLedger ledger) {
        return breach(server, table, ledger.disagreement(commit.clock(), commit.frames(), commit.digest()));
    }

    /** Adds a block to a replica. */
    Rejection merge(BlockAccumulator blocks, DataFrameDecoder block, MemorySegment replica, long at, int elements) {
        return blocks.add(block, replica, at, elements);
    }

    /** The ledger of a table on a tree; null if nothing of a version is due. */
    ClockLedger ledger(int tree, Table table, long version) {
        return table.intake().ledger(tree);
    }

    /** Handles a data frame that has arrived before an earlier one. */
    Action onGap(int server, Table table, int tree, long version, int sequence) {
        throw breach(server, table, table.intake().ledger(tree).gapBefore(version, sequence));
    }

    /** Handles a round commit that has arrived before an earlier frame. */
    Action onEarlyRoundCommit(int server, Table table, int tree, ClockLedger ledger) {
        throw disagreement(server, table, ledger);
    }

    /** Whether the next frame must still be deferred. */
    boolean isDeferred(int server, int tree, Table table, long version) {
        return false;
    }

    /** Refuses a slice that the sender may not send in a clock. */
    void requireExpected(int server, Table table, int slice, long version) {}

    /** Records a frame that has been applied. */
    void onApplied(Table table, int slice, long version) {}

    /** Handles the arrival of the next frame. */
    void onArrival(int tree, Table table) {}

    /** The node that sends the frames of a tree. */
    final int root(int tree) {
        return routes.root(tree);
    }

    /** Whether a node sends frames to this intake. */
    boolean isSender(int node) {
        return node < plan.settings().serverPlaces();
    }

    /** Whether a node sends a slice. */
    boolean isSenderOf(int node, Table table, int slice) {
        return table.isOwner(node, slice);
    }

    /** The table with a received id; null if there is none or the server owns no slice of it. */
    private Table tableOf(int server, int table) {
        return table < tables.size() && tables.get(table).intake().owns(server) ? tables.get(table) : null;
    }

    /** Ends the cluster because a node breaks the protocol. */
    final ClusterException breach(int server, Table table, String what) {
        String source = plan.nameOf(server) + ", table " + table.spec().name() + ", ";
        return membership.fail(Failure.PROTOCOL_BREACH, source + what);
    }

    final Action drop(Rejection rejection) {
        parts.reject.accept(rejection);
        return Action.CONTINUE;
    }

    /** Requests missing frames instead of reporting a breach. */
    static class Repaired extends BroadcastIntake {
        private final Gaps missing;

        Repaired(Parts parts, Gaps missing) {
            super(parts);
            this.missing = missing;
        }

        @Override
        Action onGap(int server, Table table, int tree, long version, int sequence) {
            return missing.ahead(tree);
        }

        @Override
        Action onEarlyRoundCommit(int server, Table table, int tree, ClockLedger ledger) {
            return missing.ahead(tree);
        }

        @Override
        final void onArrival(int tree, Table table) {
            missing.arrived(tree);
        }
    }

    /**
     * The intake of a worker that has rejoined. Servers repeat all broadcasts since its snapshot; they contain pushes
     * of its previous incarnation. The worker recomputes each clock on the same version as before, so a later version
     * is deferred until this incarnation has also pushed its part of it.
     */
    static final class Returned extends Repaired {
        Returned(Parts parts, Gaps missing) {
            super(parts, missing);
        }

        @Override
        boolean isDeferred(int server, int tree, Table table, long version) {
            if (version <= table.pushedRound()) {
                return false;
            }
            onArrival(tree, table); // the frame is deferred, not missing
            return true;
        }
    }

    /** Applies replies to pulls: parameters of any version, which replace those of the replica. */
    static final class Pulled extends BroadcastIntake {
        Pulled(Parts parts) {
            super(parts);
        }

        @Override
        Rejection merge(BlockAccumulator blocks, DataFrameDecoder block, MemorySegment replica, long at, int elements) {
            return blocks.overwrite(block, replica, at, elements);
        }

        @Override
        ClockLedger ledger(int tree, Table table, long version) {
            if (table.intake().isAnswered(tree)) {
                return null; // no pull is open
            }
            ClockLedger ledger = table.intake().ledger(tree);
            if (0 == ledger.frames() && version >= ledger.round() - 1) {
                ledger.open(version);
            }
            return ledger;
        }
    }
}
