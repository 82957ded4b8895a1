package io.sluice.perf.codecs;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.ValueType;
import io.sluice.perf.JvmFlags;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to make a data frame of a finished block, and to accept one. Unit: nanoseconds per frame; divide the
 * frame's bytes by them for GB/s.
 *
 * <p>Measured by {@code encode}: header, root and checksum, uncompressed. Measured by {@code validateAndDecode}: all
 * checks of the envelope and the lengths, the checksum, and the check of the index column. Both work on one frame, so
 * its bytes come from the cache. Not measured: composing and applying the block.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class FrameBenchmark {
    private static final long CLUSTER = 1;

    /** One frame, encoded. */
    @State(Scope.Thread)
    public static class Link {
        /** Bytes of the frame: 1 KiB, and the longest of a dense slice that fits one 64 KiB datagram. */
        @Param({"1024", "65344"})
        public int bytes;

        /** Format of its block; with BITMAP, about a fifth of the elements have a value. */
        @Param({"DENSE", "BITMAP"})
        public BlockFormat format;

        final DataHeader header = new DataHeader().clusterId(CLUSTER).origin(2).clock(3);
        final Block block = new Block();
        final PayloadCompressor none = PayloadCompressor.never();
        final FrameChecksum checksum = new FrameChecksum();
        final DataFrameEncoder encoder = new DataFrameEncoder(BlockFormat.MAX_ELEMENTS);
        final FrameValidator validator = new FrameValidator(CLUSTER, checksum);
        final DataFrameDecoder decoder = new DataFrameDecoder(BlockFormat.MAX_ELEMENTS, AcceptedCompressors.named());
        FrameBuffer frame;

        /** Fills the block and encodes the frame; not measured. */
        @Setup
        public void setUp() {
            int payload = bytes - Frame.DATA_LENGTH;
            int elements = format == BlockFormat.DENSE ? payload / Float.BYTES : bitmapElements(payload);
            int count = (payload - format.minIndicesLength(elements, 0)) / Float.BYTES;
            frame = FrameBuffer.forDataFrames(elements);
            int length = format.minLength(ValueType.F32, elements, count);
            block.wrap(frame).set(format, ValueType.F32, elements, count, length);
            SplittableRandom random = new SplittableRandom(bytes);
            for (int i = 0; i < payload; i += Integer.BYTES) {
                frame.buffer().putInt(Frame.DATA_LENGTH + i, random.nextInt());
            }
            if (format == BlockFormat.BITMAP) {
                setBits(random, elements, count);
            }
            int frameLength = encoder.encode(frame, header, block, none, checksum);
            if (frameLength != bytes) {
                throw new IllegalArgumentException(
                        "no frame of this format has " + bytes + " bytes, but " + frameLength);
            }
        }

        /** Elements of a bitmap block of a length in which a fifth of them, or little more, have values. */
        private static int bitmapElements(int payload) {
            double bytesPerElement = 1.0 / Byte.SIZE + Float.BYTES / 5.0;
            return Math.min(BlockFormat.MAX_ELEMENTS, (int) (payload / bytesPerElement) & -Long.SIZE);
        }

        private void setBits(SplittableRandom random, int elements, int count) {
            frame.buffer().setMemory(Frame.DATA_LENGTH, BlockFormat.bitmapLength(elements), (byte) 0);
            int set = 0;
            while (set < count) {
                int element = random.nextInt(elements);
                int at = Frame.DATA_LENGTH + element / Byte.SIZE;
                int bit = 1 << element % Byte.SIZE;
                int old = frame.buffer().getByte(at);
                if ((old & bit) == 0) {
                    frame.buffer().putByte(at, (byte) (old | bit));
                    set++;
                }
            }
        }
    }

    /** Encodes and seals the frame; returns its length. */
    @Benchmark
    public int encode(Link link) {
        return link.encoder.encode(link.frame, link.header, link.block, link.none, link.checksum);
    }

    /** Validates and opens the frame; returns the number of its values. */
    @Benchmark
    public int validateAndDecode(Link link) {
        Rejection rejection = link.validator.validate(link.frame.buffer(), 0, link.bytes);
        if (rejection == null) {
            rejection = link.decoder.wrap(link.frame.buffer(), 0, link.bytes);
        }
        if (rejection != null) {
            throw new IllegalStateException("the frame was refused: " + rejection);
        }
        return link.decoder.count();
    }
}
