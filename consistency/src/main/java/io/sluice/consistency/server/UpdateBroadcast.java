package io.sluice.consistency.server;

import io.sluice.codecs.Block;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.tree.FanOut;
import io.sluice.tree.OutFrame;

/**
 * The update protocol's way out: what the filter keeps of a slice's sum is broadcast as one frame, the rest stays in
 * the sum as the server's residual, on top of which the next round is added.
 *
 * <p>Each slice has memory for one frame of its own. It is written once and sent to all; until the last link has taken
 * it, the slice's next round waits.
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
    private final ClockLedger ledger = new ClockLedger(0);
    private final Block block = new Block();
    private final FrameBuffer[] buffers;
    private final OutFrame[] frames;
    private final FrameBuffer markBuffer = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private final OutFrame mark = new OutFrame(markBuffer.buffer());

    UpdateBroadcast(
            TableSpec spec,
            int[] owned,
            SliceStore sums,
            UpdateFilter filter,
            UpdateFilter start,
            Kernels kernels,
            FrameWriter writer,
            FanOut fanOut,
            ShardStats stats) {
        this.spec = spec;
        this.owned = owned;
        this.sums = sums;
        this.filter = filter;
        this.start = start;
        this.kernels = kernels;
        this.writer = writer;
        this.fanOut = fanOut;
        this.stats = stats;
        this.buffers = new FrameBuffer[owned.length];
        this.frames = new OutFrame[owned.length];
        for (int i = 0; i < owned.length; i++) {
            buffers[i] = FrameBuffer.forDataFrames(sums.length(i));
            frames[i] = new OutFrame(buffers[i].buffer());
        }
    }

    @Override
    public boolean isReady(int slice) {
        return frames[slice].isIdle();
    }

    @Override
    public void finalise(int slice, long round) {
        FrameBuffer buffer = buffers[slice];
        block.wrap(buffer);
        UpdateFilter chosen = START == round ? start : filter;
        chosen.drain(sums.segment(), sums.offset(slice), sums.length(slice), round, block);
        stats.onSlice(sums.length(slice), block.count());
        if (block.count() > 0) {
            int length = writer.data(buffer, block, spec.id(), owned[slice], ledger);
            fanOut.enqueue(frames[slice], length);
            stats.onBroadcast();
        }
    }

    @Override
    public boolean closeRound(long round) {
        if (!mark.isIdle()) {
            return false;
        }
        fanOut.enqueue(mark, writer.mark(markBuffer.buffer(), spec.id(), ledger));
        ledger.open(round + 1);
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
