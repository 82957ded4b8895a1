package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.Frame;
import io.sluice.codecs.spi.Block;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.ValueBoundedFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NotFiniteException;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.messaging.outbox.Outbox;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import org.agrona.concurrent.NanoClock;

/**
 * Pushes the updates of one table: filters each slice into a slot of its server's queue, and closes the round with a
 * round commit to each server. Subclasses and parts given at the start add what some terms need (decision 1).
 *
 * <p>For the trainer's thread. Allocates nothing between the first push and the last.
 */
class TablePush {
    private static final long START = 0;

    final Table table;
    final Parts parts;
    private final TableSpec spec;
    private final UpdateCheck check;
    private final UpdateFilter[] filters;
    private final boolean revises;
    private final boolean weighs;
    private PushGate gate;
    private boolean held;
    private boolean last;

    /**
     * The parts that the pushes of all tables share. {@code tiers} maps a round to a tier; no frame of a later tier may
     * overtake its frames. {@code rules} states the update rule of a table, which may need the version on which an
     * update was computed or its weight. The push calls {@code rounds} before its first slice, and {@code committed}
     * after its round commits.
     */
    record Parts(
            TrainerCalls calls,
            Membership membership,
            ConsistencyRule rule,
            RequiredVersion required,
            PushGate gate,
            WorkerSetView workerSet,
            PushRoutes pushes,
            Kernels kernels,
            WorkerStats stats,
            NanoClock clock,
            SliceRanking ranking,
            LongUnaryOperator tiers,
            Function<TableSpec, UpdateRule> rules,
            EarlyStage early,
            PushPreparation rounds,
            Runnable committed,
            SnapshotStage snapshots) {}

    /** Prepares a push to the servers that own slices of a table. */
    @FunctionalInterface
    interface PushPreparation {
        /** Does nothing, for jobs in which slices never change their owners. */
        PushPreparation ALWAYS_SAME = (table, round) -> {};

        /** Prepares a round of a table of which nothing has been pushed yet. */
        void begin(Table table, long round);
    }

    /** Prepares the pushes of a table, with one filter for each lane. */
    TablePush(Table table, Parts parts, UpdateCheck check, UpdateFilter[] filters) {
        this.table = table;
        this.spec = table.spec();
        this.parts = parts;
        this.check = check;
        this.filters = filters;
        UpdateRule rule = parts.rules.apply(spec);
        this.revises = rule.revises();
        this.weighs = rule.weighs();
        this.gate = parts.gate;
    }

    /** Pushes the trainer's update of the open clock. */
    final void update(Update update) {
        requireMayPush();
        check.require(update);
        try {
            parts.snapshots.capture(table);
            push(update, parts.calls.clock() + 1);
        } catch (RuntimeException | Error e) {
            throw parts.calls.failedHalfDone(e);
        }
    }

    /** Pushes an update of few checked parameters, with 0 for all others. */
    final void update(int[] indices, float[] values) {
        requireMayPush();
        try {
            parts.snapshots.capture(table);
            for (int i = 0; i < indices.length; i++) {
                long at = (long) indices[i] * Float.BYTES;
                table.residual().set(JAVA_FLOAT, at, table.residual().get(JAVA_FLOAT, at) + values[i]);
            }
            push(null, parts.calls.clock() + 1);
        } catch (RuntimeException | Error e) {
            throw parts.calls.failedHalfDone(e);
        }
    }

    /** Pushes an update of few checked rows, with 0 for all others. */
    final void updateRows(int[] rows, float[] values) {
        requireMayPush();
        try {
            parts.snapshots.capture(table);
            MemorySegment residual = table.residual();
            int columns = spec.columns();
            for (int i = 0; i < rows.length; i++) {
                long start = (long) rows[i] * columns;
                for (int column = 0; column < columns; column++) {
                    long at = (start + column) * Float.BYTES;
                    residual.set(JAVA_FLOAT, at, residual.get(JAVA_FLOAT, at) + values[i * columns + column]);
                }
            }
            push(null, parts.calls.clock() + 1);
        } catch (RuntimeException | Error e) {
            throw parts.calls.failedHalfDone(e);
        }
    }

    /** Adds to the update of the open clock. */
    final void accumulate(Update update) {
        requireMayPush();
        check.require(update);
        try {
            parts.snapshots.capture(table);
            add(update, parts.calls.clock() + 1);
        } catch (RuntimeException | Error e) {
            throw parts.calls.failedHalfDone(e);
        }
    }

    private void requireMayPush() {
        parts.workerSet.requirePart();
        long clock = parts.calls.clock();
        if (table.pushedRound() > clock) {
            throw parts.calls.mistake(new IllegalStateException("table " + spec.name()
                    + " is updated twice in iteration " + (clock + 1) + ", expected clock() between two updates"));
        }
        if (!isRecent()) {
            throw parts.calls.mistake(new IllegalStateException("table " + spec.name() + " is updated in iteration "
                    + (clock + 1) + " at version " + table.version() + ", but " + parts.rule.name() + " needs version "
                    + parts.required.get() + ": call sync first"));
        }
    }

    /** Whether the version of the table is recent enough for an update. */
    final boolean isRecent() {
        return parts.required.isMetBy(table);
    }

    /** Records that the residual of a slice has changed, so that parts of the slice may be sent early. */
    final void changed(int slice) {
        parts.early.changed(table, slice, parts.calls.clock() + 1);
    }

    /** Records that an element of the residual has changed. */
    final void touched(long element) {
        parts.early.touched(table, element);
    }

    /**
     * Pushes the first parameters of the table as its update of round 0, unfiltered and in f32, regardless of the
     * cluster's value type.
     */
    final void start(Initialiser initialiser) {
        if (Initialiser.ZEROS != initialiser) {
            UpdateFilter exact = ValueBoundedFilter.exact(parts.kernels);
            FirstValues first = new FirstValues(spec, initialiser);
            for (int slice = 0; slice < spec.slices(); slice++) {
                float[] values = first.next(spec.sliceLength(slice));
                if (!Float.isFinite(parts.kernels.values().maxAbs(values, 0, values.length))) {
                    throw new IllegalArgumentException("the initialiser gives table " + spec.name()
                            + " values that are not finite, at or after element " + spec.sliceStart(slice));
                }
                PushChannel channel = channel(slice);
                int slot = channel.claim();
                Block block = channel.newBlock(slot);
                exact.filter(values, 0, table.residual(), offset(slice), values.length, START, block);
                publish(channel, slot, block, slice, START);
            }
        }
        close(START);
    }

    /** Closes the open round without a frame: the residual stays as it is. A worker's last push ignores it. */
    final void hold() {
        held = !last;
    }

    /** Makes the next push, this worker's last, send the whole residual. */
    final void keepNothingBack() {
        last = true;
        held = false;
        gate = PushGate.OPEN;
        Arrays.setAll(filters, _ -> ValueBoundedFilter.exact(parts.kernels));
    }

    /**
     * Pushes the table's update of one round and closes the round.
     *
     * @param update one float per parameter, or null to push the residual alone
     */
    final void push(Update update, long round) {
        long startNs = parts.clock.nanoTime() - parts.stats.waitNs();
        table.ownWrites().begin();
        parts.rounds.begin(table, round);
        Update rest = update;
        if (null != update && gate.looksAtResidual()) {
            addToResidual(update, round);
            rest = null;
        }
        if (!held && gate.isOpen(table, round)) {
            begin(rest, round);
            try {
                int end = endSlice(round);
                for (int slice = firstSlice(round); slice < end; slice++) {
                    pushSlice(slice, rest, round);
                }
            } finally {
                end();
            }
            parts.stats.onThreshold(round, threshold(round));
        } else if (!held) {
            parts.stats.onWithheld(spec.elements());
        }
        held = false;
        close(round);
        parts.stats.onPush(parts.clock.nanoTime() - parts.stats.waitNs() - startNs);
    }

    /** Adds a part of the round's update, and sends parts early while the budget is not used up. */
    private void add(Update update, long round) {
        long startNs = parts.clock.nanoTime();
        addToResidual(update, round);
        parts.early.added();
        parts.stats.onPush(parts.clock.nanoTime() - startNs);
    }

    private void addToResidual(Update update, long round) {
        for (int slice = 0; slice < spec.slices(); slice++) {
            try {
                update.addTo(table.residual(), parts.kernels, spec.sliceStart(slice), spec.sliceLength(slice));
            } catch (NotFiniteException e) {
                throw notFinite(slice, update, round, e);
            }
            parts.early.changed(table, slice, round);
        }
    }

    /** The first slice of which a round may have a frame. */
    int firstSlice(long round) {
        return 0;
    }

    /** The slice after the last one of which a round may have a frame. */
    int endSlice(long round) {
        return spec.slices();
    }

    void begin(Update update, long round) {}

    void end() {}

    void pushSlice(int slice, Update update, long round) {
        PushChannel channel = channel(slice);
        int slot = channel.claim();
        Block block = channel.newBlock(slot);
        filter(0, update, slice, round, block);
        parts.stats.onSlice(spec.sliceLength(slice), block.count(), isSent(block, round));
        publish(channel, slot, block, slice, round);
    }

    /** Whether a slice has a frame: without values it still has a weight. */
    private boolean isSent(Block block, long round) {
        return block.count() > 0 || weighs && round > START;
    }

    final void publish(PushChannel channel, int slot, Block block, int slice, long round) {
        if (!isSent(block, round)) {
            channel.abandon(slot); // the round commit states that the slice has no frame
        } else {
            table.ownWrites().pushed(slice, round, block);
            channel.publish(
                    slot,
                    spec.id(),
                    slice,
                    key(slice),
                    parts.tiers.applyAsLong(round),
                    rank(block, slice, round),
                    round > START ? tag(slice) : Frame.NO_TAG);
        }
    }

    /** The number that the update rule needs with the push of a slice. */
    private long tag(int slice) {
        if (weighs) {
            return parts.calls.weight();
        }
        return revises ? table.intake().basis(table, slice) : Frame.NO_TAG;
    }

    /** Filters one slice with the filter of its lane. */
    final void filter(int lane, Update update, int slice, long round, Block out) {
        int elements = spec.sliceLength(slice);
        try {
            if (null == update) {
                filters[lane].encodeResidual(residual(), offset(slice), elements, round, out);
            } else {
                update.filter(filters[lane], spec.sliceStart(slice), residual(), elements, round, out);
            }
        } catch (NotFiniteException e) {
            throw notFinite(slice, update, round, e);
        }
    }

    private ClusterException notFinite(int slice, Update update, long round, NotFiniteException e) {
        Membership membership = parts.membership;
        float given = null == update ? e.added() : update.get(spec.sliceStart(slice) + e.element());
        return membership.fail(
                Failure.NOT_FINITE,
                membership.plan().nameOf(membership.node()) + " was given the update " + given + " for "
                        + spec.at(slice, e.element()) + " in clock " + round + ", which makes " + e.sum()
                        + " of the sum to push, expected finite numbers");
    }

    /** Closes a round with a round commit to each node that gets frames of the table. */
    void close(long round) {
        for (int i = 0; i < parts.pushes.receivers(); i++) {
            int node = parts.pushes.receiver(i);
            if (table.intake().owns(node)) {
                parts.pushes.channel(node).publishRoundCommit(spec.id());
            }
        }
        parts.committed.run();
        table.pushed(round);
        parts.early.closed(table, round, threshold(round));
    }

    private float threshold(long round) {
        float threshold = 0;
        for (UpdateFilter filter : filters) {
            threshold = Math.max(threshold, filter.threshold(round));
        }
        return threshold;
    }

    private PushChannel channel(int slice) {
        return parts.pushes.channel(table.owner(slice));
    }

    private int key(int slice) {
        return table.firstKey() + slice;
    }

    private long rank(Block block, int slice, long round) {
        return parts.ranking.rank(block, table, slice, round);
    }

    /** The memory that is filtered, and that keeps what is not sent. */
    MemorySegment residual() {
        return table.residual();
    }

    /** Offset of a slice in the residual, in bytes. */
    long offset(int slice) {
        return spec.sliceStart(slice) * Float.BYTES;
    }

    /**
     * Takes back a frame of a slice that still waits in the outbox. The push then adds the next update to its values,
     * filters the sum, and sends the result in its place, before the round commit of the older round. So the older
     * round contains a part of a newer round, which the consistency rule allows.
     */
    static final class Merged extends TablePush {
        private final BlockAccumulator accumulator;

        Merged(Table table, Parts parts, UpdateCheck check, UpdateFilter[] filters) {
            super(table, parts, check, filters);
            this.accumulator = new BlockAccumulator(parts.kernels);
        }

        @Override
        void pushSlice(int slice, Update update, long round) {
            PushChannel channel = super.channel(slice);
            int slot = channel.takeBack(super.key(slice));
            if (Outbox.NONE == slot) {
                super.pushSlice(slice, update, round);
                return;
            }
            Block block = channel.block(slot);
            accumulator.restore(block, super.table.residual(), super.offset(slice));
            super.parts.stats.onTakenBack(block.count(), channel.isPartial(slot));
            channel.newBlock(slot);
            filter(0, update, slice, round, block);
            super.parts.stats.onSlice(super.spec.sliceLength(slice), block.count(), block.count() > 0);
            super.table.ownWrites().merged(slice, round, block);
            channel.publishAgain(slot, super.rank(block, slice, round));
        }
    }

    /** Pushes this worker's block of a consumed table, which is all that its residual has. */
    static class OfBlock extends TablePush {
        private final VectorBlocks blocks;
        private final int worker;

        OfBlock(Table table, Parts parts, UpdateFilter[] filters, int worker) {
            super(table, parts, UpdateCheck.NONE, filters);
            this.blocks = table.blocks();
            this.worker = worker;
        }

        @Override
        final int firstSlice(long round) {
            return blocks.firstSlice(worker, round);
        }

        @Override
        final int endSlice(long round) {
            return firstSlice(round) + blocks.slices();
        }

        @Override
        long offset(int slice) {
            return (long) (slice % blocks.slices()) * blocks.sliceElements() * Float.BYTES;
        }
    }

    /**
     * Filters a large table in lanes: slice s in lane s modulo their number. The first lane is the trainer's thread,
     * the others have threads of their own, whose blocks are copied into the queue.
     */
    static final class Laned extends TablePush {
        private final FilterLane[] lanes;

        /** Filters one slice; created once because a method reference allocates. */
        private final FilterLane.SlicePass pass = this::filter;

        /** Creates a push with these lanes in addition to the first. */
        Laned(Table table, Parts parts, UpdateCheck check, UpdateFilter[] filters, FilterLane[] lanes) {
            super(table, parts, check, filters);
            this.lanes = lanes;
        }

        @Override
        void begin(Update update, long round) {
            for (FilterLane lane : lanes) {
                lane.begin(pass, super.spec.slices(), update, round);
            }
        }

        @Override
        void pushSlice(int slice, Update update, long round) {
            int lane = slice % super.filters.length;
            if (0 == lane) {
                super.pushSlice(slice, update, round);
                return;
            }
            Block filtered = lanes[lane - 1].await();
            boolean isSent = super.isSent(filtered, round);
            super.parts.stats.onSlice(super.spec.sliceLength(slice), filtered.count(), isSent);
            if (isSent) {
                PushChannel channel = super.channel(slice);
                int slot = channel.claim();
                channel.copyBlock(slot, filtered);
                super.publish(channel, slot, channel.block(slot), slice, round);
            }
            lanes[lane - 1].release();
        }

        @Override
        void end() {
            for (FilterLane lane : lanes) {
                lane.end();
            }
        }
    }
}
