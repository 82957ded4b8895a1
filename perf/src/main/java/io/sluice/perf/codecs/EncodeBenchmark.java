package io.sluice.perf.codecs;

import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.TableShape;
import org.agrona.concurrent.SystemNanoClock;

/** From bitmap and f32 values to a sealed frame: both columns, the compressor, header and checksum. */
final class EncodeBenchmark implements Benchmark {
    private final FilteredSlices slices;
    private final BlockWriter writer;
    private final PayloadCompressor compressor;
    private final DataFrameEncoder encoder = new DataFrameEncoder(BlockFormat.MAX_ELEMENTS);
    private final FrameChecksum checksum = new FrameChecksum();
    private final DataHeader header = new DataHeader().clusterId(1);
    private final FrameBuffer frame = BlockWriter.frame();
    private final Block block = new Block();

    EncodeBenchmark(TableShape shape, Combination combination) {
        slices = new FilteredSlices(shape, Combination.roundsToBf16(combination.values()));
        writer = new BlockWriter(combination.format(), combination.values());
        compressor =
                PayloadCompressor.always(BlockCompressors.named(combination.compressor()), SystemNanoClock.INSTANCE);
    }

    @Override
    public void pass(Tally tally) {
        for (int slice = 0; slice < slices.size(); slice++) {
            int length = slice(slice);
            tally.add(length - Frame.DATA_LENGTH, slices.count(slice));
            tally.format(block.format().code());
        }
    }

    /** Creates the frame of one slice. Returns its length. */
    private int slice(int slice) {
        writer.write(slices, slice, frame.room(block));
        return encoder.encode(frame, header.slice(slice), block, compressor, checksum);
    }

    /** The frames of all slices. */
    FrameLog frames() {
        FrameLog log = new FrameLog(slices.size(), Frame.DATA_LENGTH + BlockFormat.maxLength(TableShape.SLICE));
        for (int slice = 0; slice < slices.size(); slice++) {
            log.add(frame, slice(slice), slices.count(slice));
        }
        return log;
    }
}
