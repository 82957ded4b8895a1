package io.sluice.perf.latency;

import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.messaging.outbox.BarrierQueue;
import io.sluice.messaging.outbox.Outbox;
import io.sluice.messaging.spi.SliceOrder;

/** Dense slices of the default length: urgent ones of the first layer, the others of the second. */
final class UrgentSlices {
    static final long CLUSTER = 0x5355;
    static final int STREAM = 7_001;
    static final int URGENT = 0;
    static final int OTHER = 1;
    static final int ELEMENTS = 16_320;
    static final int LENGTH = Frame.DATA_LENGTH + ELEMENTS * Float.BYTES;

    private final Outbox outbox;
    private final SliceOrder order;
    private final SliceOrder.Urgency urgency = new SliceOrder.Urgency();
    private final Block block = new Block();
    private final DataHeader header = new DataHeader().clusterId(CLUSTER).origin(1);
    private final DataFrameEncoder encoder = new DataFrameEncoder(ELEMENTS);
    private final FrameChecksum checksum = new FrameChecksum();

    UrgentSlices(Outbox outbox, SliceOrder order) {
        this.outbox = outbox;
        this.order = order;
    }

    static Outbox newOutbox(int slices) {
        return new Outbox(slices, Frame.DATA_LENGTH + BlockFormat.maxLength(ELEMENTS), 1, 64, 0, 0);
    }

    /** Queues a slice of the table {@link #URGENT} or {@link #OTHER}. */
    void publish(int table, int number) {
        int slot = outbox.claim();
        if (slot == Outbox.NONE) {
            throw new IllegalStateException("no slot is free for slice " + number);
        }
        FrameBuffer frame = outbox.frame(slot);
        frame.room(block).set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, ELEMENTS * Float.BYTES);
        header.table(table).slice(number);
        encoder.encode(frame, header, block, PayloadCompressor.never(), checksum);
        long rank = order.rank(urgency.slice(table, number, 0));
        outbox.publish(slot, BarrierQueue.NO_LANE, Outbox.NO_KEY, rank);
    }
}
