package io.sluice.consistency.server;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.spi.Block;
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
 * The sink of the update protocol. It broadcasts the elements of a slice's sum that the filter keeps, as one frame. The
 * other elements stay in the sum as the server's residual, to which the next round is added.
 *
 * <p>Each slice has memory for one frame. It is written once, finished when it is next, and sent on all links; the
 * slice's next round waits until the last link has accepted it.
 */
final class UpdateBroadcast implements RoundSink {
    private static final long START = 0;

    private final Broadcasting broadcasting;
    private final TableSpec spec;
    private final int[] owned;
    private final SliceStore sums;
    private final UpdateFilter filter;
    private final UpdateFilter start;
    private final Kernels kernels;
    private final FrameWriter writer;
    private final ShardStats stats;
    private final SliceRanker ranker;
    private final BlockKeeper kept;
    private final boolean[] partial;

    /** The stream of each route. */
    private final TableStream[] tableStreams;

    /** The stream of each owned slice. */
    private final TableStream[] streamOf;

    private final Block[] blocks;
    private final FrameBuffer[] buffers;
    private final OutFrame[] frames;

    /** The last version whose round commits are queued or sent. */
    private long closed;

    /**
     * Keeps the parameters, to which blocks add up, for workers that join and for orders that compare changes with
     * them.
     */
    interface BlockKeeper {
        /** Keeps nothing, for jobs that no worker joins and whose order does not use parameters. */
        BlockKeeper NOTHING = (position, version, block) -> {};

        /** The sum of the magnitudes of the kept parameters of a slice; 0 if none are kept. */
        default float magnitude(int position, long round) {
            return 0;
        }

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
            BlockKeeper kept) {
        this.broadcasting = broadcasting;
        this.closed = version;
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
        this.streamOf = new TableStream[owned.length];
        TableStream[] byRoute = new TableStream[broadcasting.routes()];
        for (int i = 0; i < owned.length; i++) {
            int slice = i;
            blocks[i] = new Block();
            buffers[i] = FrameBuffer.forDataFrames(sums.length(i));
            frames[i] = new OutFrame(buffers[i].buffer(), () -> finish(slice));
            int route = broadcasting.route(spec.id(), owned[i]);
            if (null == byRoute[route]) {
                byRoute[route] = broadcasting.newStream(spec.id(), route, writer, version + 1);
            }
            streamOf[i] = byRoute[route];
        }
        this.tableStreams = Arrays.stream(byRoute).filter(Objects::nonNull).toArray(TableStream[]::new);
    }

    /** Finishes a frame with the round and sequence at the time of sending. */
    private int finish(int slice) {
        return writer.data(
                buffers[slice],
                blocks[slice],
                spec.id(),
                owned[slice],
                partial[slice],
                Frame.NO_TAG,
                streamOf[slice].ledger());
    }

    @Override
    public boolean isReady(int slice) {
        return broadcasting.mayFollow(closed) && streamOf[slice].isFree(frames[slice]);
    }

    /** The rank of a slice by its sum. */
    long rank(int slice, long turn) {
        float weight = ranker.weight(sum(slice), sums.length(slice));
        return ranker.rank(spec.id(), owned[slice], turn, weight, parameters(slice));
    }

    private float parameters(int slice) {
        return ranker.compares()
                ? kept.magnitude(slice, streamOf[slice].ledger().round())
                : 0;
    }

    /** Threshold of a version. */
    float threshold(long round) {
        return filter.threshold(round);
    }

    /** Broadcasts the elements of a sum above a threshold before its version is complete. */
    void broadcastEarly(int slice, SliceFilter mechanism, float threshold) {
        if (!frames[slice].isIdle()) {
            return; // the next addition offers the slice again, unless the version ends first
        }
        Block block = buffers[slice].room(blocks[slice]);
        mechanism.encodeResidual(sums.segment(), sums.offset(slice), sums.length(slice), threshold, block);
        if (block.count() > 0) {
            partial[slice] = true;
            kept.add(slice, streamOf[slice].ledger().round(), block);
            long priority = ranker.rank(block, spec.id(), owned[slice], 0, parameters(slice));
            streamOf[slice].enqueue(frames[slice], priority, Frame.DATA_LENGTH + block.length());
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
            long priority = ranker.rank(block, spec.id(), owned[slice], round, parameters(slice));
            streamOf[slice].enqueue(frames[slice], priority, Frame.DATA_LENGTH + block.length());
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
        closed = round;
        stats.onThreshold(round, filter.threshold(round));
        return true;
    }

    /** The greatest magnitude in a sum. */
    float maxAbs(int slice) {
        return kernels.values().maxAbs(sum(slice), sums.length(slice));
    }

    private long sum(int slice) {
        return OffHeap.address(sums.segment(), sums.offset(slice), sums.length(slice), "the sum");
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
