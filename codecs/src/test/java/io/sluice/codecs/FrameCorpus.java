package io.sluice.codecs;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Valid frames to start from: the golden ones, and compressed forms of those and of some that compress well.
 */
final class FrameCorpus {
    /** Length of the longest frame of the corpus. */
    static final int MAX_LENGTH = 4096;

    private static final List<byte[]> ALL = collect();

    private FrameCorpus() {}

    static List<byte[]> all() {
        return ALL;
    }

    private static List<byte[]> collect() {
        List<byte[]> frames = new ArrayList<>();
        for (GoldenFrame golden : GoldenFrame.all()) {
            frames.add(golden.bytes());
        }
        FrameBuffer frame = FrameBuffer.forDataFrames(BlockFormat.MAX_ELEMENTS);
        for (String name : new String[] {"lz4", "snappy", "zstd"}) {
            PayloadCompressor compressor =
                    PayloadCompressor.always(BlockCompressors.named(name), SystemNanoClock.INSTANCE);
            for (GoldenBlock golden : GoldenBlock.all()) {
                addIfCompressed(frames, frame, golden.copyTo(frame), compressor);
            }
            for (ValueType type : ValueType.choices()) {
                addIfCompressed(frames, frame, monotonous(frame, type), compressor);
            }
        }
        return List.copyOf(frames);
    }

    /** A dense block of zeros: a header and packed exponents of zeros are valid, whatever the type. */
    private static Block monotonous(FrameBuffer frame, ValueType type) {
        int elements = 500;
        int tail = type.isPacked() ? elements % BitPlanes.GROUP : 0;
        int length = type.minLength(elements) + tail;
        frame.segment().asSlice(Frame.DATA_LENGTH, length).fill((byte) 0);
        return frame.room(new Block()).set(BlockFormat.DENSE, type, elements, elements, length);
    }

    private static void addIfCompressed(
            List<byte[]> frames, FrameBuffer frame, Block block, PayloadCompressor compressor) {
        int length = new DataFrameEncoder(block.elements())
                .encode(frame, SampleFrame.dataHeader(), block, compressor, new FrameChecksum());
        if (compressor.code() != NoCompressor.CODE) {
            byte[] bytes = new byte[length];
            frame.buffer().getBytes(0, bytes);
            frames.add(bytes);
        }
    }
}
