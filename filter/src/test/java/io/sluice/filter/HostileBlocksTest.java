package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Frames with a valid checksum and hostile content, taken as far as they get. The target lies between guards, in memory
 * far larger than any slice, so a write outside is seen and not fatal.
 */
class HostileBlocksTest {
    private static final int MAX = 300;
    private static final int GUARD = 4 * BlockFormat.MAX_ELEMENTS;
    private static final int GUARDED = 256;

    private final FrameBuffer frame = FrameBuffer.forDataFrames(MAX);
    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameValidator validator = new FrameValidator(5, checksum);
    private final DataFrameEncoder encoder = new DataFrameEncoder(MAX);
    private final MemorySegment target = Floats.room(2L * GUARD + 4L * MAX, 0);
    private final BlockAccumulator[] accumulators = {
        new BlockAccumulator(new VectorKernels()), new BlockAccumulator(new ScalarKernels())
    };
    private int applied;

    @Test
    void nothingOutsideTheTargetIsWritten() {
        DataFrameDecoder decoder = new DataFrameDecoder(MAX, BlockCompressors.named("lz4"));
        Property.holds(200_000, random -> {
            int elements = random.nextInt(1, MAX + 1);
            int length = compose(random, elements);
            for (int i = random.nextInt(3); i > 0; i--) {
                int at = random.nextInt(random.nextBoolean() ? 40 : Frame.DATA_LENGTH, Math.max(length, 65));
                frame.buffer().putByte(at, (byte) random.nextInt());
            }
            checksum.seal(frame.buffer(), 0, length);
            if (validator.validate(frame.buffer(), 0, length) == null
                    && decoder.wrap(frame.buffer(), 0, length) == null) {
                apply(decoder, elements);
            }
        });
        assertTrue(applied > 10_000, "too few applied to mean anything: " + applied);
        assertEquals(0, nonZeroBytes(0, GUARD));
        assertEquals(0, nonZeroBytes(GUARD + 4L * MAX, GUARD));
    }

    private int compose(SplittableRandom random, int elements) {
        BlockFormat format = BlockFormat.values()[random.nextInt(3)];
        int count = format == BlockFormat.DENSE ? elements : random.nextInt(Math.min(elements, 150) / 2 + 1);
        Block block = new Block().wrap(frame).set(format, elements, count);
        MemorySegment bytes = frame.segment().asSlice(Frame.DATA_LENGTH);
        bytes.asSlice(0, block.length()).fill((byte) 0);
        int step = count == 0 ? 1 : elements / count;
        for (int k = 0; k < count; k++) {
            int place = k * step + random.nextInt(step);
            if (format == BlockFormat.BITMAP) {
                long word = place / 64 * 8L;
                bytes.set(Layout.WORD, word, bytes.get(Layout.WORD, word) | 1L << place);
            } else if (format == BlockFormat.INDEX) {
                bytes.set(Layout.INDEX, 2L * k, (short) place);
            }
        }
        long values = format.valuesOffset(elements, count);
        Floats.fillWithSpecials(random, bytes.asSlice(values, 4L * count));
        String compressor = random.nextBoolean() ? "none" : "lz4";
        DataHeader header = new DataHeader().clusterId(5);
        return encoder.encode(frame, header, block, BlockCompressors.named(compressor), checksum);
    }

    private void apply(DataFrameDecoder decoder, int elements) {
        for (BlockAccumulator accumulator : accumulators) {
            if (accumulator.add(decoder, target, GUARD, elements) == null) {
                applied++;
            }
            accumulator.overwrite(decoder, target, GUARD, elements);
        }
        assertEquals(0, nonZeroBytes(GUARD - GUARDED, GUARDED), "written before the target");
        long end = GUARD + 4L * elements;
        assertEquals(0, nonZeroBytes(end, GUARDED), "written behind the target");
        target.asSlice(GUARD, 4L * elements).fill((byte) 0);
    }

    private long nonZeroBytes(long from, long bytes) {
        long found = 0;
        for (long at = from; at < from + bytes; at += Long.BYTES) {
            found += target.get(Layout.WORD, at) == 0 ? 0 : 1;
        }
        return found;
    }
}
