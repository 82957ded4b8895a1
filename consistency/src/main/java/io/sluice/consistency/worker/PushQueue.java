package io.sluice.consistency.worker;

import io.sluice.codecs.Block;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.outbox.FencedQueue;
import io.sluice.messaging.outbox.Outbox;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The outbox of one link, and what its slots stand for: blocks of slices that become data frames when they are sent,
 * marks, which are the fences of their tables, and frames that are written already.
 *
 * <p>What a slot stands for is handed over with the slot: the trainer's thread writes it before it publishes, the
 * sending thread reads it after it takes.
 */
final class PushQueue {
    private final Outbox outbox;
    private final Block[] blocks;
    private final int[] slices;
    private final int[] written;

    /**
     * Allocates the queue.
     *
     * @param frames      slots for data
     * @param frameLength bytes of the longest data frame, with the room that a filter needs
     * @param tables      number of tables
     * @param keys        number of slices of all tables
     */
    PushQueue(int frames, int frameLength, int tables, int keys) {
        this.outbox = new Outbox(frames, frameLength, 2 * tables, FrameWriter.MAX_SMALL_FRAME, tables, keys);
        this.blocks = new Block[outbox.slots()];
        Arrays.setAll(blocks, slot -> new Block());
        this.slices = new int[outbox.slots()];
        this.written = new int[outbox.slots()];
    }

    Outbox outbox() {
        return outbox;
    }

    /** The block of a slot, as it was left. */
    Block block(int slot) {
        return blocks[slot];
    }

    /** The block of a slot, to be written anew. */
    Block newBlock(int slot) {
        return blocks[slot].wrap(outbox.frame(slot));
    }

    void copyBlock(int slot, Block from) {
        Block to = newBlock(slot);
        MemorySegment.copy(from.segment(), from.offset(), to.segment(), to.offset(), from.length());
        to.set(from.format(), from.values(), from.elements(), from.count(), from.length());
    }

    UnsafeBuffer buffer(int slot) {
        return outbox.frame(slot).buffer();
    }

    void publishBlock(int slot, int table, int slice, int key, long tier, long priority) {
        slices[slot] = slice;
        outbox.publish(slot, table, key, tier, priority);
    }

    void publishMark(int slot, int table) {
        outbox.publishFence(slot, table);
    }

    /** Publishes a frame that goes before all data: a declaration or a request. */
    void publishWritten(int slot, int length) {
        written[slot] = length;
        outbox.publish(slot, FencedQueue.NO_LANE, Outbox.NO_KEY, Long.MIN_VALUE, FencedQueue.AT_ONCE);
    }

    boolean isWritten(int slot) {
        return FencedQueue.NO_LANE == outbox.lane(slot);
    }

    int writtenLength(int slot) {
        return written[slot];
    }

    int slice(int slot) {
        return slices[slot];
    }
}
