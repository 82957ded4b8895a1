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
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import org.agrona.DirectBuffer;

/** One data frame for each slice of a table, made by the filter and laid one behind the other, as in a log. */
final class RecordedFrames {
    /** Frames in a log begin at multiples of this. */
    private static final int ALIGNMENT = 32;

    private final FrameBuffer log;
    private final int[] offsets;
    private final int[] lengths;

    /**
     * Filters and encodes a table.
     *
     * @param table its first pass is taken
     * @param values type of the values
     */
    RecordedFrames(AlternatingUpdates table, ValueType values) {
        offsets = new int[table.slices()];
        lengths = new int[table.slices()];
        int longest = Frame.DATA_LENGTH + BlockFormat.maxLength(AlternatingUpdates.SLICE);
        log = new FrameBuffer(Math.multiplyExact(table.slices(), aligned(longest)));
        record(table, values);
    }

    private void record(AlternatingUpdates table, ValueType values) {
        SliceFilter filter = new SliceFilter(Kernels.scalar(), values);
        DataFrameEncoder encoder = new DataFrameEncoder(AlternatingUpdates.SLICE);
        FrameChecksum checksum = new FrameChecksum();
        FrameBuffer frame = FrameBuffer.forDataFrames(AlternatingUpdates.SLICE);
        Block block = new Block();
        DataHeader header = new DataHeader().clusterId(1);
        int end = 0;
        for (int slice = 0; slice < offsets.length; slice++) {
            table.next();
            filter.filter(
                    table.update(),
                    table.offset(),
                    table.residual(),
                    table.offset(),
                    AlternatingUpdates.SLICE,
                    AlternatingUpdates.THRESHOLD,
                    block.wrap(frame));
            offsets[slice] = end;
            lengths[slice] = encoder.encode(frame, header.slice(slice), block, PayloadCompressor.never(), checksum);
            log.buffer().putBytes(end, frame.buffer(), 0, lengths[slice]);
            end += aligned(lengths[slice]);
        }
    }

    private static int aligned(int length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Number of frames. */
    int size() {
        return offsets.length;
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
