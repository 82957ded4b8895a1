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
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.TableShape;
import org.agrona.DirectBuffer;

/** The frames of one clock of one thread's part of a table, as the filter makes them, one behind the other. */
final class FrameLog {
    /** Frames in a log begin at multiples of this. */
    private static final int ALIGNMENT = 32;

    private final FrameBuffer log;
    private final int[] offsets;
    private final int[] lengths;
    private final FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
    private final Block block = new Block();
    private final DataHeader header = new DataHeader().clusterId(1);
    private final DataFrameEncoder encoder = new DataFrameEncoder(TableShape.SLICE);
    private final FrameChecksum checksum = new FrameChecksum();
    private boolean recording;
    private int recorded;
    private int end;

    /** Filters and encodes the clocks until the residual has settled, and keeps the frames of the next one. */
    FrameLog(TableShape shape, int thread, ValueType values) {
        offsets = new int[shape.slices()];
        lengths = new int[shape.slices()];
        int longest = Frame.DATA_LENGTH + BlockFormat.maxLength(TableShape.SLICE);
        log = new FrameBuffer(Math.multiplyExact(shape.slices(), aligned(longest)));
        SliceFilter filter = new SliceFilter(Kernels.preferred(), values);
        SliceBenchmark sender = new SliceBenchmark(shape, thread, (update, residual, offset, elements, _) -> {
            filter.filter(update, offset, residual, offset, elements, shape.threshold(), block.wrap(frame));
            if (recording) {
                record();
            }
        });
        for (int clock = 0; clock < shape.source().clocks(); clock++) {
            sender.pass(new Tally());
        }
        recording = true;
        sender.pass(new Tally());
    }

    /** Appends the frame of the block that was filtered last. */
    private void record() {
        offsets[recorded] = end;
        lengths[recorded] = encoder.encode(frame, header.slice(recorded), block, PayloadCompressor.never(), checksum);
        log.buffer().putBytes(end, frame.buffer(), 0, lengths[recorded]);
        end += aligned(lengths[recorded]);
        recorded++;
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
