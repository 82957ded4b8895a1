package io.sluice.consistency.server;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.Block;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.tree.OutFrame;
import java.util.Arrays;
import java.util.Objects;

/**
 * The update protocol's way out: what the filter keeps of a slice's sum is broadcast as one frame, the rest stays in
 * the sum as the server's residual, on top of which the next round is added.
 *
 * <p>Each slice has memory for one frame of its own. It is written once, sealed when its turn has come, and sent to
 * all; until the last link has taken it, the slice's next round waits.
 */
final class UpdateBroadcast implements RoundSink {
    private static final long START = 0;

    private final TableSpec spec;
    private final int[] owned;
    private final SliceStore sums;
    private final UpdateFilter filter;
    private final UpdateFilter start;
    private final Kernels kernels;
    private final FrameWriter writer;
    private final ShardStats stats;
    private final SliceRanker ranker;
    private final Kept kept;
    private final boolean[] partial;

    /** One for each way that slices go. */
    private final TableStream[] tableStreams;

    /** By slice owned, that which it belongs to. */
    private final TableStream[] strandOf;

    private final Block[] blocks;
    private final FrameBuffer[] buffers;
    private final OutFrame[] frames;

    /** Keeps the parameters that workers have. */
    interface Kept {
        /** Where no worker joins while the job runs. */
        Kept NOTHING = (position, version, block) -> {};

        /** Adds a block that is broadcast, before anything compresses it. */
        void add(int position, long version, Block block);
    }

    UpdateBroadcast(
            TableSpec spec,
            int[] owned,
            SliceStore sums,
            UpdateFilter filter,
            UpdateFilter start,
            Kernels kernels,
            FrameWriter writer,
            Broadcasting broadcasting,
            SliceRanker ranker,
            long version,
            ShardStats stats,
            Kept kept) {
        this.kept = kept;
        this.spec = spec;
        this.owned = owned;
        this.sums = sums;
        this.filter = filter;
        this.start = start;
        this.kernels = kernels;
        this.writer = writer;
        this.ranker = ranker;
        this.partial = new boolean[owned.length];
        this.stats = stats;
        this.blocks = new Block[owned.length];
        this.buffers = new FrameBuffer[owned.length];
        this.frames = new OutFrame[owned.length];
        this.strandOf = new TableStream[owned.length];
        TableStream[] byRoute = new TableStream[broadcasting.routes()];
        for (int i = 0; i < owned.length; i++) {
            int slice = i;
            blocks[i] = new Block();
            buffers[i] = FrameBuffer.forDataFrames(sums.length(i));
            frames[i] = new OutFrame(buffers[i].buffer(), () -> seal(slice));
            int route = broadcasting.route(spec.id(), owned[i]);
            if (null == byRoute[route]) {
                byRoute[route] = new TableStream(spec.id(), route, broadcasting.fanOut(route), writer, version + 1);
            }
            strandOf[i] = byRoute[route];
        }
        this.tableStreams = Arrays.stream(byRoute).filter(Objects::nonNull).toArray(TableStream[]::new);
    }

    /** Round and sequence are those of the moment at which the frame is sent. */
    private int seal(int slice) {
        return writer.data(
                buffers[slice], blocks[slice], spec.id(), owned[slice], partial[slice], strandOf[slice].ledger());
    }

    @Override
    public boolean isReady(int slice) {
        return strandOf[slice].isFree(frames[slice]);
    }

    /** How urgent a slice is whose sum has this magnitude. */
    long rank(int slice, long turn, float magnitude) {
        return ranker.rank(spec.id(), owned[slice], turn, magnitude, 0);
    }

    /** Threshold of a version. */
    float threshold(long round) {
        return filter.threshold(round);
    }

    /** Broadcasts what a sum has above a threshold, though its version is not complete. */
    void broadcastEarly(int slice, SliceFilter mechanism, float threshold) {
        if (!frames[slice].isIdle()) {
            return; // whatever is added next offers it again, or the version ends
        }
        Block block = buffers[slice].room(blocks[slice]);
        mechanism.encodeResidual(sums.segment(), sums.offset(slice), sums.length(slice), threshold, block);
        if (block.count() > 0) {
            partial[slice] = true;
            long priority = ranker.rank(block, spec.id(), owned[slice], 0, 0);
            strandOf[slice].enqueue(frames[slice], priority, Frame.DATA_LENGTH + block.length());
            stats.onEarly(block.count());
        }
    }

    @Override
    public void finalise(int slice, long round) {
        partial[slice] = false;
        Block block = buffers[slice].room(blocks[slice]);
        UpdateFilter chosen = START == round ? start : filter;
        chosen.encodeResidual(sums.segment(), sums.offset(slice), sums.length(slice), round, block);
        stats.onSlice(sums.length(slice), block.count());
        if (block.count() > 0) {
            kept.add(slice, round, block);
            // What the parameters are is not known here: a server holds sums, no replica.
            long priority = ranker.rank(block, spec.id(), owned[slice], round, 0);
            strandOf[slice].enqueue(frames[slice], priority, Frame.DATA_LENGTH + block.length());
            stats.onBroadcast();
        }
    }

    @Override
    public boolean closeRound(long round) {
        for (TableStream tableStream : tableStreams) {
            if (!tableStream.mayClose()) {
                return false;
            }
        }
        for (TableStream tableStream : tableStreams) {
            tableStream.close();
        }
        stats.onThreshold(filter.threshold(round));
        return true;
    }

    /** The greatest magnitude in a sum. */
    float maxAbs(int slice) {
        int elements = sums.length(slice);
        long address = OffHeap.address(sums.segment(), sums.offset(slice), elements, "the sum");
        return kernels.values().maxAbs(address, elements);
    }

    @Override
    public float residualMaxAbs() {
        float max = 0;
        for (int i = 0; i < owned.length; i++) {
            max = Math.max(max, maxAbs(i));
        }
        return max;
    }
}
