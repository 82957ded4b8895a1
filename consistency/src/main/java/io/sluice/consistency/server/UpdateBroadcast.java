package io.sluice.consistency.server;

import io.sluice.codecs.Block;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.tree.FanOut;
import io.sluice.tree.OutFrame;

/**
 * The update protocol's way out: what the filter keeps of a slice's sum is broadcast as one frame, the rest stays in
 * the sum as the server's residual, on top of which the next round is added.
 *
 * <p>Each slice has memory for one frame of its own. It is written once, sealed when its turn has come, and sent to
 * all; until the last link has taken it, the slice's next round waits.
 */
final class UpdateBroadcast implements Outflow {
    private static final long START = 0;

    private final TableSpec spec;
    private final int[] owned;
    private final SliceStore sums;
    private final UpdateFilter filter;
    private final UpdateFilter start;
    private final Kernels kernels;
    private final FrameWriter writer;
    private final FanOut fanOut;
    private final ShardStats stats;
    private final SliceRanker ranker;
    private final ClockLedger ledger = new ClockLedger(0);
    private final Block[] blocks;
    private final FrameBuffer[] buffers;
    private final OutFrame[] frames;
    private final FrameBuffer markBuffer = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private final OutFrame mark = new OutFrame(markBuffer.buffer(), this::sealMark);

    UpdateBroadcast(
            TableSpec spec,
            int[] owned,
            SliceStore sums,
            UpdateFilter filter,
            UpdateFilter start,
            Kernels kernels,
            FrameWriter writer,
            FanOut fanOut,
            SliceRanker ranker,
            ShardStats stats) {
        this.spec = spec;
        this.owned = owned;
        this.sums = sums;
        this.filter = filter;
        this.start = start;
        this.kernels = kernels;
        this.writer = writer;
        this.fanOut = fanOut;
        this.ranker = ranker;
        this.stats = stats;
        this.blocks = new Block[owned.length];
        this.buffers = new FrameBuffer[owned.length];
        this.frames = new OutFrame[owned.length];
        for (int i = 0; i < owned.length; i++) {
            int slice = i;
            blocks[i] = new Block();
            buffers[i] = FrameBuffer.forDataFrames(sums.length(i));
            frames[i] = new OutFrame(buffers[i].buffer(), () -> seal(slice));
        }
    }

    /** Round and sequence are those of the moment at which the frame is sent. */
    private int seal(int slice) {
        return writer.data(buffers[slice], blocks[slice], spec.id(), owned[slice], ledger);
    }

    private int sealMark() {
        int length = writer.mark(markBuffer.buffer(), spec.id(), ledger);
        ledger.open(ledger.round() + 1);
        return length;
    }

    @Override
    public boolean isReady(int slice) {
        return frames[slice].isIdle();
    }

    @Override
    public void finalise(int slice, long round) {
        Block block = blocks[slice].wrap(buffers[slice]);
        UpdateFilter chosen = START == round ? start : filter;
        chosen.drain(sums.segment(), sums.offset(slice), sums.length(slice), round, block);
        stats.onSlice(sums.length(slice), block.count());
        if (block.count() > 0) {
            // What the parameters are is not known here: a server holds sums, no replica.
            long priority = ranker.rank(block, spec.id(), owned[slice], round, 0);
            fanOut.enqueue(frames[slice], spec.id(), priority, Frame.DATA_LENGTH + block.length());
            stats.onBroadcast();
        }
    }

    @Override
    public boolean closeRound(long round) {
        if (!mark.isIdle()) {
            return false;
        }
        fanOut.enqueueFence(mark, spec.id());
        stats.onThreshold(filter.threshold(round));
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
