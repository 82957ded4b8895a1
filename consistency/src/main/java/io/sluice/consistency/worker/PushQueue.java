package io.sluice.consistency.worker;

import io.sluice.codecs.Frame;
import io.sluice.codecs.spi.Block;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.BarrierQueue;
import io.sluice.messaging.outbox.Outbox;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The outbox of one link and the content of its slots: blocks of slices, which become data frames when they are sent,
 * round commits, which no later frame of their table overtakes, and complete frames.
 *
 * <p>The content is handed over with the slot: the trainer's thread writes it before it publishes the slot, and the
 * sending thread reads it after it has taken the slot.
 */
final class PushQueue implements Backlog {
    private final Outbox outbox;
    private final NanoClock clock;
    private final Block[] blocks;
    private final int[] slices;
    private final int[] written;
    private final boolean[] partial;
    private final long[] tags;

    /** Room in the budget, in frames, as last determined by the sending thread; the trainer's thread reads it. */
    private volatile int spareFrames;

    /**
     * For each slot, the approximate length of its frame, before compression; 0 if an update has cancelled the block
     * that waited there.
     */
    private final int[] bytes;

    /** For each slot, the time at which it was first published. */
    private final long[] sinceNs;

    /**
     * For each table, the first round on this link, if it is not the first round of the table; for the publishing
     * thread.
     */
    private final long[] firstRounds;

    /** For each slot, the first round of its table when the slot was published. */
    private final long[] firstOfSlot;

    private final AtomicLong publishedBytes = new AtomicLong();
    private long releasedBytes;

    /**
     * Allocates the queue.
     *
     * @param frames      slots for data
     * @param frameLength bytes of the longest data frame, with the memory that a filter needs while it writes
     * @param tables      number of tables
     * @param keys        number of slices of all tables
     * @param clock       monotonic clock that measures how long slots wait
     */
    PushQueue(int frames, int frameLength, int tables, int keys, NanoClock clock) {
        this.clock = clock;
        this.outbox = new Outbox(frames, frameLength, 2 * tables, FrameWriter.MAX_SMALL_FRAME, tables, keys);
        this.firstRounds = new long[tables];
        this.blocks = new Block[outbox.slots()];
        Arrays.setAll(blocks, slot -> new Block());
        this.slices = new int[outbox.slots()];
        this.written = new int[outbox.slots()];
        this.bytes = new int[outbox.slots()];
        this.sinceNs = new long[outbox.slots()];
        this.partial = new boolean[outbox.slots()];
        this.tags = new long[outbox.slots()];
        this.firstOfSlot = new long[outbox.slots()];
    }

    /** Sets the first round of frames of a table that are published from now on. */
    void begin(int table, long round) {
        firstRounds[table] = round;
    }

    /** The earliest round that the frame in a taken slot can have. Only the sending thread may call this. */
    long firstRound(int slot) {
        return firstOfSlot[slot];
    }

    Outbox outbox() {
        return outbox;
    }

    /** The block of a slot with its content. */
    Block block(int slot) {
        return blocks[slot];
    }

    /** The block of a slot, to be overwritten. */
    Block newBlock(int slot) {
        return outbox.frame(slot).room(blocks[slot]);
    }

    void copyBlock(int slot, Block from) {
        Block to = newBlock(slot);
        MemorySegment.copy(from.segment(), from.offset(), to.segment(), to.offset(), from.length());
        to.set(from.format(), from.values(), from.elements(), from.count(), from.length());
    }

    UnsafeBuffer buffer(int slot) {
        return outbox.frame(slot).buffer();
    }

    /** Sets, before the slot is published, whether its block is only a part of its slice's update in the round. */
    void partial(int slot, boolean value) {
        partial[slot] = value;
    }

    /** Sets, before the slot is published, the number that the update rule of its table needs, or no tag. */
    void tag(int slot, long value) {
        tags[slot] = value;
    }

    long tag(int slot) {
        return tags[slot];
    }

    boolean isCancelled(int slot) {
        return 0 == bytes[slot];
    }

    boolean isPartial(int slot) {
        return partial[slot];
    }

    /** Sets the number of frames that may be sent early now. For the sending thread. */
    void spare(int frames) {
        if (frames != spareFrames) {
            spareFrames = frames;
        }
    }

    /** Number of frames that may be sent early now, if no other frame was published since. For the trainer's thread. */
    int spare() {
        int frames = spareFrames;
        return frames > 0 && 0 == outbox.backlog() ? frames : 0;
    }

    void publishBlock(int slot, int table, int slice, int key, long tier, long priority) {
        slices[slot] = slice;
        firstOfSlot[slot] = firstRounds[table];
        enter(slot, Frame.DATA_LENGTH + blocks[slot].length());
        outbox.publish(slot, table, key, tier, priority);
    }

    /** Publishes a block that was taken back and rewritten; without values the slot has no frame. */
    void publishAgain(int slot, long priority) {
        int before = bytes[slot];
        bytes[slot] = 0 == blocks[slot].count() ? 0 : Frame.DATA_LENGTH + blocks[slot].length();
        publishedBytes.setRelease(publishedBytes.getPlain() + bytes[slot] - before);
        outbox.publishAgain(slot, priority);
    }

    void publishRoundCommit(int slot, int table) {
        firstOfSlot[slot] = firstRounds[table];
        enter(slot, FrameWriter.ROUND_COMMIT_LENGTH);
        outbox.publishFence(slot, table);
    }

    /** Publishes a frame that precedes all data: a declaration or a request. */
    void publishWritten(int slot, int length) {
        written[slot] = length;
        enter(slot, length);
        outbox.publish(slot, BarrierQueue.NO_LANE, Outbox.NO_KEY, Long.MIN_VALUE, BarrierQueue.AT_ONCE);
    }

    private void enter(int slot, int length) {
        bytes[slot] = length;
        sinceNs[slot] = clock.nanoTime();
        publishedBytes.setRelease(publishedBytes.getPlain() + length);
    }

    /** Releases a slot whose frame has been sent or is empty. For the sending thread. */
    void release(int slot) {
        releasedBytes += bytes[slot];
        outbox.release(slot);
    }

    @Override
    public int frames() {
        return outbox.backlog();
    }

    @Override
    public long bytes() {
        return publishedBytes.getAcquire() - releasedBytes;
    }

    @Override
    public long oldestNs() {
        long oldestNs = Long.MAX_VALUE;
        for (int slot = 0; slot < sinceNs.length; slot++) {
            if (outbox.isPublished(slot)) {
                oldestNs = Math.min(oldestNs, sinceNs[slot]);
            }
        }
        return oldestNs;
    }

    boolean isWritten(int slot) {
        return BarrierQueue.NO_LANE == outbox.lane(slot);
    }

    int writtenLength(int slot) {
        return written[slot];
    }

    int slice(int slot) {
        return slices[slot];
    }
}
