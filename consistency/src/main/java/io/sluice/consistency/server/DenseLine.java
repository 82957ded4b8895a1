package io.sluice.consistency.server;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.ValueType;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Pacing;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * Sends slices as they are, dense and in f32, to one node on a link of their own. A frame is written when the one
 * before has gone, so that there is memory for one.
 *
 * <p>Used by the server's thread. Allocates nothing after construction.
 */
final class DenseLine {
    private static final int LIMIT = 16;

    private final int receiver;
    private final Link link;
    private final Pacing pacing;
    private final FrameWriter writer;
    private final FrameBuffer frame;
    private final Block block = new Block();
    private int length;
    private long activeNs;

    /**
     * With nothing to send so far.
     *
     * @param receiver      node at the other end
     * @param link          to it, just opened
     * @param pacing        when that may send
     * @param writer        of this server
     * @param sliceElements of the longest slice
     * @param nowNs         the time
     */
    DenseLine(int receiver, Link link, Pacing pacing, FrameWriter writer, int sliceElements, long nowNs) {
        this.receiver = receiver;
        this.link = link;
        this.pacing = pacing;
        this.writer = writer;
        this.frame = FrameBuffer.forDataFrames(sliceElements);
        this.activeNs = nowNs;
    }

    /** Writes a slice of a table, by its position among those of a store. */
    void writeSlice(SliceStore store, int position, int table, int slice, ClockLedger ledger) {
        int elements = store.length(position);
        int bytes = elements * Float.BYTES;
        block.wrap(frame).set(BlockFormat.DENSE, ValueType.F32, elements, elements, bytes);
        MemorySegment.copy(store.segment(), store.offset(position), block.segment(), block.offset(), bytes);
        length = writer.to(receiver).data(frame, block, table, slice, ledger);
    }

    /** Writes the mark behind all slices of a table. */
    void writeMark(int table, ClockLedger ledger) {
        length = writer.to(receiver).mark(frame.buffer(), table, ledger);
    }

    /**
     * Sends what there is room for.
     *
     * @param nowNs the time
     * @param next  writes the next frame; false if there is none
     * @return the number of frames
     */
    int work(long nowNs, BooleanSupplier next) {
        int sent = 0;
        while (sent < LIMIT && (length > 0 || next.getAsBoolean()) && pacing.offer(frame.buffer(), 0, length)) {
            length = 0;
            sent++;
        }
        activeNs = length > 0 || sent > 0 ? nowNs : activeNs;
        return sent;
    }

    /** Whether nothing was sent, nor waits to be, for so long. */
    boolean isQuiet(long nowNs, long forNs) {
        return 0 == length && nowNs - activeNs > forNs;
    }

    void close() {
        link.close();
    }
}
