package io.sluice.consistency.server;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.ValueType;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Pacing;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The push-pull protocol's way out: a slice's sum is added to the parameters that the server keeps, and each worker
 * that asks gets all parameters of the table here, dense, in frames of its own.
 */
final class ParameterReplies implements Outflow {
    private static final long NOT_ASKED = -1;

    private final TableSpec spec;
    private final int[] owned;
    private final SliceStore sums;
    private final SliceStore parameters;
    private final Kernels kernels;
    private final FrameWriter writer;
    private final ShardStats stats;
    private final Block block = new Block();
    private final Reply[] replies;
    private int first;
    private long version = -1;

    ParameterReplies(
            TableSpec spec,
            int[] owned,
            SliceStore sums,
            SliceStore parameters,
            Kernels kernels,
            FrameWriter writer,
            Link[] links,
            Pacing[] pacings,
            ShardStats stats) {
        this.spec = spec;
        this.owned = owned;
        this.sums = sums;
        this.parameters = parameters;
        this.kernels = kernels;
        this.writer = writer;
        this.stats = stats;
        this.replies = new Reply[links.length];
        Arrays.setAll(replies, worker -> new Reply(links[worker], pacings[worker]));
    }

    @Override
    public boolean isReady(int slice) {
        return true;
    }

    @Override
    public void finalise(int slice, long round) {
        int elements = sums.length(slice);
        long sum = OffHeap.address(sums.segment(), sums.offset(slice), elements, "the sum");
        long target = OffHeap.address(parameters.segment(), parameters.offset(slice), elements, "the parameters");
        kernels.add().dense(sum, elements, target);
        sums.clear(slice);
    }

    @Override
    public void changed(int slice) {
        // Parameters go out when they are asked for.
    }

    @Override
    public boolean closeRound(long round) {
        version = round;
        return true;
    }

    @Override
    public boolean onPull(int worker, long wanted) {
        replies[worker].ask(wanted);
        return true;
    }

    /** Begins behind the worker that was sent to last, so that all get their share of the node's budget. */
    @Override
    public int work() {
        int work = 0;
        int from = first;
        for (int i = 0; i < replies.length; i++) {
            int at = (from + i) % replies.length;
            int sent = replies[at].work();
            if (sent > 0) {
                first = (at + 1) % replies.length;
            }
            work += sent;
        }
        return work;
    }

    @Override
    public float residualMaxAbs() {
        return 0;
    }

    /** One worker's request and how far it has been answered. */
    private final class Reply {
        private final Link link;
        private final Pacing pacing;
        private final FrameBuffer frame = FrameBuffer.forDataFrames(spec.sliceElements());
        private final ClockLedger ledger = new ClockLedger(0);
        private long wanted = NOT_ASKED;
        private int next;
        private int length;

        Reply(Link link, Pacing pacing) {
            this.link = link;
            this.pacing = pacing;
        }

        void ask(long version) {
            wanted = version;
        }

        int work() {
            if (NOT_ASKED == wanted || version < wanted) {
                return 0;
            }
            if (0 == next && 0 == length) {
                ledger.open(version);
            }
            int sent = 0;
            while (next <= owned.length && send()) {
                next++;
                sent++;
            }
            if (next > owned.length) {
                wanted = NOT_ASKED;
                next = 0;
            }
            return sent;
        }

        /** Sends one slice, or after the last the mark; what was written but not taken is offered again next time. */
        private boolean send() {
            boolean isMark = next == owned.length;
            if (0 == length) {
                length = isMark ? writer.mark(frame.buffer(), spec.id(), ledger) : write(next);
            }
            if (!pacing.admits(length) || !link.offer(frame.buffer(), 0, length)) {
                return false;
            }
            pacing.onSent(length);
            if (!isMark) {
                stats.onReply();
            }
            length = 0;
            return true;
        }

        private int write(int slice) {
            int elements = parameters.length(slice);
            int bytes = elements * Float.BYTES;
            block.wrap(frame).set(BlockFormat.DENSE, ValueType.F32, elements, elements, bytes);
            MemorySegment.copy(parameters.segment(), parameters.offset(slice), block.segment(), block.offset(), bytes);
            return writer.data(frame, block, spec.id(), owned[slice], ledger);
        }
    }
}
