package io.sluice.perf.filter;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.ValueType;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.race.Tally;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;
import org.agrona.DirectBuffer;

/** The frames of one clock of one thread's part of a table, as the filter makes them, one behind the other. */
final class FrameLog {
    /** Frames in a log begin at multiples of this. */
    private static final int ALIGNMENT = 32;

    private final FrameBuffer log;
    private final int[] offsets;
    private final int[] lengths;
    private int end;

    /** Filters and encodes the clocks until the residual has settled, and keeps the frames of the next one. */
    FrameLog(TableShape shape, int thread, ValueType values) {
        offsets = new int[shape.slices()];
        lengths = new int[shape.slices()];
        int longest = Frame.DATA_LENGTH + BlockFormat.maxLength(TableShape.SLICE);
        log = new FrameBuffer(Math.multiplyExact(shape.slices(), aligned(longest)));
        FilterContestant sender = new FilterContestant(shape, thread, Kernels.preferred(), values);
        for (int clock = 0; clock < shape.source().clocks(); clock++) {
            sender.pass(new Tally());
        }
        record(sender, new DataFrameEncoder(TableShape.SLICE));
    }

    private void record(FilterContestant sender, DataFrameEncoder encoder) {
        FrameChecksum checksum = new FrameChecksum();
        DataHeader header = new DataHeader().clusterId(1);
        PayloadCompressor none = PayloadCompressor.never();
        MemorySegment update = sender.table().next();
        for (int slice = 0; slice < offsets.length; slice++) {
            Block block = sender.slice(update, slice);
            offsets[slice] = end;
            lengths[slice] = encoder.encode(sender.frame(), header.slice(slice), block, none, checksum);
            log.buffer().putBytes(end, sender.frame().buffer(), 0, lengths[slice]);
            end += aligned(lengths[slice]);
        }
    }

    private static int aligned(int length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Holds the frames. */
    DirectBuffer buffer() {
        return log.buffer();
    }

    /** Byte offset of a slice's frame. */
    int offset(int slice) {
        return offsets[slice];
    }

    /** Bytes of a slice's frame. */
    int length(int slice) {
        return lengths[slice];
    }
}
