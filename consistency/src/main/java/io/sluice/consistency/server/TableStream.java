package io.sluice.consistency.server;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.tree.FanOut;
import io.sluice.tree.OutFrame;

/**
 * The frames of one table that go one way: they are numbered, and closed by a mark, by themselves, for frames that go
 * different ways come in no order.
 *
 * <p>Used by one thread. Allocates nothing after construction.
 */
final class TableStream {
    private final int table;
    private final int route;
    private final FanOut fanOut;
    private final FrameWriter writer;
    private final ClockLedger ledger;
    private final FrameBuffer commitBuffer = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private final OutFrame commit = new OutFrame(commitBuffer.buffer(), this::finishRoundCommit);

    /**
     * Begins a stream.
     *
     * @param table   id of the table
     * @param route     that its frames go
     * @param fanOut  sends what goes that way
     * @param writer  of this server
     * @param version the first
     */
    TableStream(int table, int route, FanOut fanOut, FrameWriter writer, long version) {
        this.table = table;
        this.route = route;
        this.fanOut = fanOut;
        this.writer = writer;
        this.ledger = new ClockLedger(version);
    }

    private int finishRoundCommit() {
        int length = writer.roundCommit(commitBuffer.buffer(), table, route, ledger);
        ledger.open(ledger.round() + 1);
        return length;
    }

    /** Gives round and sequence of the frame that is sealed next. */
    ClockLedger ledger() {
        return ledger;
    }

    /** Puts a frame of the open version among those waiting. */
    void enqueue(OutFrame frame, long priority, int bytes) {
        fanOut.enqueue(frame, table, priority, bytes);
    }

    /** Whether the mark of the version before has been sent to all, so that another one can be closed. */
    boolean mayClose() {
        return isFree(commit);
    }

    /** Closes the open version behind all its frames. */
    void close() {
        fanOut.enqueueFence(commit, table);
    }

    /** Whether a frame may be written: all links have taken it, or can go on without. */
    boolean isFree(OutFrame frame) {
        return frame.isIdle() || fanOut.skipStalled() && frame.isIdle();
    }
}
