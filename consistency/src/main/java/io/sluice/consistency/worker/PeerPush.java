package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.spi.Block;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;

/**
 * Sends this worker's block of a consumed table to the workers that the multicast chooses, and a round commit to all
 * others: it counts no frames where a worker is not chosen. The block stays in this worker's own part of the replica.
 * In a clock of a rotation one of the two tables also carries the matrix, to the next worker alone.
 *
 * <p>For the trainer's thread. Allocates nothing between the first push and the last.
 */
final class PeerPush extends TablePush.OfBlock {
    private final PeerVectors peers;
    private final int workers;
    private final int firstWorker;
    private final MemorySegment matrix;
    private final boolean isLeft;
    private final MemorySegment slice;
    private final int tree;

    /** The factor of the vectors that are sent: one float. */
    private final MemorySegment factor;

    /**
     * Creates the pushes of one of the two tables of a factor table.
     *
     * @param of     the factor table
     * @param isLeft whether the table has the first vectors
     */
    PeerPush(Table table, Parts parts, UpdateFilter[] filters, FactorTable of, boolean isLeft) {
        super(table, parts, filters, of.peers().worker());
        this.peers = of.peers();
        ClusterPlan plan = parts.membership().plan();
        this.workers = plan.settings().workers();
        this.firstWorker = plan.workerNode(0);
        this.matrix = of.matrix();
        this.isLeft = isLeft;
        this.slice = OffHeap.allocate((long) table.spec().sliceElements() * Float.BYTES);
        this.tree = table.intake().tree(firstWorker + peers.worker());
        this.factor = OffHeap.allocate(Float.BYTES);
        factor.set(JAVA_FLOAT, 0, isLeft ? peers.multicast().scale() : 1);
    }

    @Override
    void begin(Update update, long round) {
        VectorBlocks blocks = table.blocks();
        long at = blocks.offset(peers.worker(), round);
        int floats = Math.toIntExact(blocks.bytes() / Float.BYTES);
        VectorBlocks.clear(table.replica(), at, blocks.bytes());
        long from = OffHeap.address(table.residual(), 0, floats, "residual");
        long to = OffHeap.writableAddress(table.replica(), at, floats, "replica");
        parts.kernels().outer().dense(factor.address(), from, 1, 1, floats, to); // 0 + -0 is 0: frames do not carry -0
        VectorBlocks.clear(table.residual(), 0, blocks.bytes());
        for (long clock = peers.first(round); clock < round; clock++) {
            for (int of = firstSlice(clock); of < endSlice(clock); of++) {
                send(of, clock, round);
            }
        }
        if (!isLeft && peers.multicast().rotates(round)) {
            sendMatrix(round);
        }
    }

    @Override
    void pushSlice(int of, Update update, long round) {
        send(of, round, round);
    }

    /** Sends a slice of the block of a clock to the workers that get that block now. */
    private void send(int of, long clock, long round) {
        PushChannel first = null;
        int slot = 0;
        for (int to = 0; to < workers; to++) {
            if (!peers.sends(to, clock)) {
                continue;
            }
            PushChannel channel = parts.pushes().channel(firstWorker + to);
            int claimed = channel.claim();
            if (null == first) {
                first = channel;
                slot = claimed;
                encode(table.replica(), table.offset(of), of, round, first.newBlock(slot));
            } else {
                channel.copyBlock(claimed, first.block(slot));
                publish(channel, claimed, channel.block(claimed), of, round);
            }
        }
        if (null != first) {
            publish(first, slot, first.block(slot), of, round);
        }
    }

    private void sendMatrix(long round) {
        PushChannel channel = parts.pushes().channel(firstWorker + peers.successor());
        for (int part = 0; part * slice.byteSize() < matrix.byteSize(); part++) {
            int of = table.blocks().sliceOfMatrix(part);
            int slot = channel.claim();
            encode(matrix, part * slice.byteSize(), of, round, channel.newBlock(slot));
            publish(channel, slot, channel.block(slot), of, round);
        }
    }

    /** Encodes a slice and leaves the memory that has it as it is. */
    private void encode(MemorySegment from, long at, int of, long round, Block out) {
        MemorySegment.copy(from, at, slice, 0, Math.min(slice.byteSize(), from.byteSize() - at)); // it was zero
        filter(0, null, of, round, out);
        parts.stats().onSlice(table.spec().sliceLength(of), out.count(), out.count() > 0);
    }

    /** The residual that is filtered is the copy of a slice. */
    @Override
    MemorySegment residual() {
        return slice;
    }

    @Override
    long offset(int of) {
        return 0;
    }

    @Override
    void close(long round) {
        super.close(round);
        table.intake().close(tree, round);
    }
}
