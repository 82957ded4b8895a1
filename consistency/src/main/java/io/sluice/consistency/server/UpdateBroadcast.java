package io.sluice.consistency.server;

import io.sluice.codecs.Block;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.kernel.Kernels;
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
final class UpdateBroadcast implements Outflow {
    private static final long START = 0;
    private static final float NOT_YET = -1;

    private final TableSpec spec;
    private final int[] owned;
    private final SliceStore sums;
    private final UpdateFilter filter;
    private final UpdateFilter start;
    private final Kernels kernels;
    private final FrameWriter writer;
    private final ShardStats stats;
    private final SliceRanker ranker;
    /** Null if nothing goes out before its version is complete. */
    private final EarlyBroadcasts early;

    /** Null where nobody can come while the job runs. */
    private final KeptParameters parameters;

    private final int firstKey;
    private final boolean[] partial;

    /** Threshold of the last version: nothing goes early before there is one. */
    private float threshold = NOT_YET;

    /** One for each way that slices go. */
    private final Strand[] strands;

    /** By slice owned, that which it belongs to. */
    private final Strand[] strandOf;

    private final Block[] blocks;
    private final FrameBuffer[] buffers;
    private final OutFrame[] frames;

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
            EarlyBroadcasts early,
            long version,
            ShardStats stats,
            KeptParameters parameters) {
        this.parameters = parameters;
        this.spec = spec;
        this.owned = owned;
        this.sums = sums;
        this.filter = filter;
        this.start = start;
        this.kernels = kernels;
        this.writer = writer;
        this.ranker = ranker;
        this.early = early;
        this.firstKey = null == early ? 0 : early.join(this, owned.length);
        this.partial = new boolean[owned.length];
        this.stats = stats;
        this.blocks = new Block[owned.length];
        this.buffers = new FrameBuffer[owned.length];
        this.frames = new OutFrame[owned.length];
        this.strandOf = new Strand[owned.length];
        Strand[] byWay = new Strand[broadcasting.ways()];
        for (int i = 0; i < owned.length; i++) {
            int slice = i;
            blocks[i] = new Block();
            buffers[i] = FrameBuffer.forDataFrames(sums.length(i));
            frames[i] = new OutFrame(buffers[i].buffer(), () -> seal(slice));
            int way = broadcasting.way(spec.id(), owned[i]);
            if (null == byWay[way]) {
                byWay[way] = new Strand(spec.id(), way, broadcasting.fanOut(way), writer, version + 1);
            }
            strandOf[i] = byWay[way];
        }
        this.strands = Arrays.stream(byWay).filter(Objects::nonNull).toArray(Strand[]::new);
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

    @Override
    public void changed(int slice) {
        if (null == early || threshold < 0) {
            return;
        }
        int key = firstKey + slice;
        float magnitude = maxAbs(slice);
        if (magnitude > threshold) {
            long turn = early.candidates().turn(key);
            early.candidates().offer(key, ranker.rank(spec.id(), owned[slice], turn, magnitude, 0));
        } else {
            early.candidates().drop(key);
        }
    }

    /** Broadcasts what a sum has above the last threshold, though its version is not complete. */
    void broadcastEarly(int slice, SliceFilter mechanism) {
        if (!frames[slice].isIdle()) {
            return; // whatever is added next offers it again, or the version ends
        }
        Block block = blocks[slice].wrap(buffers[slice]);
        mechanism.drain(sums.segment(), sums.offset(slice), sums.length(slice), threshold, block);
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
        if (null != early) {
            early.candidates().drop(firstKey + slice);
        }
        Block block = blocks[slice].wrap(buffers[slice]);
        UpdateFilter chosen = START == round ? start : filter;
        chosen.drain(sums.segment(), sums.offset(slice), sums.length(slice), round, block);
        stats.onSlice(sums.length(slice), block.count());
        if (block.count() > 0) {
            if (null != parameters) {
                parameters.add(slice, round, block);
            }
            // What the parameters are is not known here: a server holds sums, no replica.
            long priority = ranker.rank(block, spec.id(), owned[slice], round, 0);
            strandOf[slice].enqueue(frames[slice], priority, Frame.DATA_LENGTH + block.length());
            stats.onBroadcast();
        }
    }

    @Override
    public boolean closeRound(long round) {
        for (Strand strand : strands) {
            if (!strand.mayClose()) {
                return false;
            }
        }
        for (Strand strand : strands) {
            strand.close();
        }
        stats.onThreshold(filter.threshold(round));
        threshold = START == round ? NOT_YET : filter.threshold(round);
        return true;
    }

    @Override
    public boolean onPull(int worker, long version) {
        return false;
    }

    @Override
    public int work() {
        return 0;
    }

    private float maxAbs(int slice) {
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
