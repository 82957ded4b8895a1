package io.sluice.consistency.server;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.ValueType;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Pacing;
import java.util.Arrays;

/**
 * The parameters that one worker is handed before its first clock: all slices here of each table that it asks for,
 * dense, and a mark. They are those of one version, for the next needs a push of that very worker.
 *
 * <p>Used by the server's thread. Allocates nothing after construction.
 */
final class Handover {
    private static final long NOT_ASKED = -1;
    private static final int LIMIT = 16;

    private final int worker;
    private final Link link;
    private final Pacing pacing;
    private final FrameWriter writer;
    private final TableShard[] tables;
    private final FrameBuffer frame;
    private final Block block = new Block();

    /** By table, the version that is asked for. */
    private final long[] wanted;

    private final ClockLedger ledger = new ClockLedger(0);
    private TableShard table;
    private int position;
    private int length;
    private long activeNs;
    private int open;

    /**
     * Of nothing so far.
     *
     * @param worker        index of the worker
     * @param link          to it, just opened
     * @param pacing        when that may send
     * @param writer        of this server
     * @param tables        by id; null where the server owns nothing
     * @param sliceElements of the longest slice
     * @param nowNs         the time
     */
    Handover(
            int worker,
            Link link,
            Pacing pacing,
            FrameWriter writer,
            TableShard[] tables,
            int sliceElements,
            long nowNs) {
        this.worker = worker;
        this.link = link;
        this.pacing = pacing;
        this.writer = writer;
        this.tables = tables;
        this.frame = FrameBuffer.forDataFrames(sliceElements);
        this.wanted = new long[tables.length];
        this.activeNs = nowNs;
        Arrays.fill(wanted, NOT_ASKED);
    }

    void ask(int id, long version) {
        open += NOT_ASKED == wanted[id] ? 1 : 0;
        wanted[id] = version;
    }

    /** Whether nothing was asked for or sent for so long. What is asked for may take a clock until it is there. */
    boolean isIdle(long nowNs, long forNs) {
        return 0 == open && nowNs - activeNs > forNs;
    }

    /** Sends what is there and has room; returns the number of frames. */
    int work(long nowNs) {
        int sent = 0;
        while (sent < LIMIT && (length > 0 || write()) && pacing.offer(frame.buffer(), 0, length)) {
            length = 0;
            sent++;
        }
        activeNs = length > 0 || sent > 0 ? nowNs : activeNs;
        return sent;
    }

    private boolean write() {
        if (null == table && !begin()) {
            return false;
        }
        int id = table.spec().id();
        if (position == table.slices()) {
            length = writer.toWorker(worker).mark(frame.buffer(), id, ledger);
            wanted[id] = NOT_ASKED;
            open--;
            table = null;
            return true;
        }
        KeptParameters parameters = table.parameters();
        int elements = parameters.length(position);
        block.wrap(frame).set(BlockFormat.DENSE, ValueType.F32, elements, elements, elements * Float.BYTES);
        parameters.copyTo(position, block.segment(), block.offset());
        length = writer.toWorker(worker).data(frame, block, id, table.slice(position), ledger);
        position++;
        return true;
    }

    /** A table is handed over when it is at the version, and the round that needs the worker has begun. */
    private boolean begin() {
        for (int id = 0; id < wanted.length; id++) {
            long version = wanted[id];
            if (NOT_ASKED != version && tables[id].version() == version && tables[id].begins(version + 1)) {
                table = tables[id];
                position = 0;
                ledger.open(version);
                return true;
            }
        }
        return false;
    }

    void close() {
        link.close();
    }
}
