package io.sluice.consistency.server;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.tree.FanOut;
import io.sluice.tree.OutFrame;

/**
 * The frames of one table on one route. They have numbers and round commits of their own, because frames of different
 * routes arrive in any order.
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
     * Starts a stream.
     *
     * @param table   id of the table
     * @param route   route of its frames
     * @param fanOut  sends on that route
     * @param writer  writer of this server
     * @param version first version
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

    /** The ledger, which has the round and sequence that the next frame gets when it is sent. */
    ClockLedger ledger() {
        return ledger;
    }

    /** Queues a frame of the open version. */
    void enqueue(OutFrame frame, long priority, int bytes) {
        fanOut.enqueue(frame, table, priority, bytes);
    }

    /** Whether the last round commit has been sent on all links, so that the next version can be closed. */
    boolean mayClose() {
        return isFree(commit);
    }

    /** Enqueues the round commit of the open version behind the version's frames. */
    void close() {
        fanOut.enqueueFence(commit, table);
    }

    /** Whether a frame's memory may be rewritten: all links have accepted the frame or may skip it. */
    boolean isFree(OutFrame frame) {
        return frame.isIdle() || fanOut.skipStalled() && frame.isIdle();
    }
}
