package io.sluice.consistency.server;

import io.sluice.codecs.FrameBuffer;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.BarrierQueue;
import io.sluice.messaging.outbox.Pacing;

/**
 * The queued replies to one worker, of all tables: slices, the most urgent first, and the round commit of each table
 * after its last slice. A frame is written when it is next, so memory for one frame suffices.
 *
 * <p>For one thread. Allocates nothing after construction.
 */
final class ReplyLine {
    /** A frame becomes first after this many times the number of waiting frames have overtaken it. */
    private static final int PATIENCE = 4;

    private final int worker;
    private final Link link;
    private final Pacing pacing;
    private final int longest;
    private final BarrierQueue queue;
    private final ParameterReplies[] writers;
    private final FrameBuffer frame;
    private int slot = BarrierQueue.NONE;
    private int length;
    private boolean givenUp;

    /**
     * Creates an empty queue.
     *
     * @param worker        index of the worker
     * @param link          link to it
     * @param pacing        pacing of the link
     * @param writers       writers of each slot, set later
     * @param tables        number of tables
     * @param sliceElements elements of the longest slice
     * @param longest       length of the longest frame, in bytes
     */
    ReplyLine(
            int worker,
            Link link,
            Pacing pacing,
            ParameterReplies[] writers,
            int tables,
            int sliceElements,
            int longest) {
        this.worker = worker;
        this.link = link;
        this.pacing = pacing;
        this.writers = writers;
        this.longest = longest;
        this.queue = new BarrierQueue(writers.length, tables, (long) PATIENCE * writers.length);
        this.frame = FrameBuffer.forDataFrames(sliceElements);
    }

    /**
     * Queues a slice of a table.
     *
     * @param at       slot, whose writer writes the reply
     * @param table    id of the table
     * @param priority priority of the slice; the smallest number is sent first
     */
    void put(int at, int table, long priority) {
        queue.put(at, table, priority);
    }

    /** Queues a table's round commit behind all its slices. */
    void putRoundCommit(int at, int table) {
        queue.fence(at, table);
    }

    /** Stops sending, because the worker is lost. */
    void giveUp() {
        givenUp = true;
    }

    /** Sends waiting frames until the link refuses one; returns the number of frames. */
    int work() {
        int sent = 0;
        while (!givenUp && isWritten() && send()) {
            sent++;
        }
        return sent;
    }

    /** Whether there is a frame to offer: the refused frame, or the next one if the link may send now. */
    private boolean isWritten() {
        if (slot != BarrierQueue.NONE) {
            return true;
        }
        if (0 == queue.size() || !hasRoom()) {
            return false;
        }
        slot = queue.first();
        if (slot == BarrierQueue.NONE) {
            return false;
        }
        queue.remove(slot);
        length = writers[slot].write(worker, slot, frame);
        return true;
    }

    /** A written frame is always next. A closed link accepts a frame and then reports that it is closed. */
    private boolean hasRoom() {
        return (link.room() > 0 || link.isClosed()) && pacing.admits(longest);
    }

    private boolean send() {
        if (!pacing.offer(frame.buffer(), 0, length)) {
            return false;
        }
        int done = slot;
        slot = BarrierQueue.NONE;
        writers[done].onSent(worker, done);
        return true;
    }
}
