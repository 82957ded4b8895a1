package io.sluice.perf.codecs;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.perf.JvmFlags;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemNanoClock;
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
 * What the compression gate costs where its verdict is against compressing: the encoding of a frame with {@code auto}
 * on a link as fast as memory, beside the same without a gate. Unit: nanoseconds per frame.
 *
 * <p>Measured: header, root, checksum, the gate's count of the frame, and its probes at the rate they come once the
 * verdict has held for a while. The block is a filtered one, in the cache. Not measured: the gate's first thousands of
 * frames, in which probes are more frequent.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class GateBenchmark {
    private static final double MEMORY_BYTES_PER_SECOND = 1e12;
    private static final int SETTLING_FRAMES = 10_000;

    /** Who decides. */
    public enum Decision {
        /** Nobody: no compressor. */
        NEVER,
        /** A gate over all compressors, which has decided against them. */
        GATE_OFF;

        PayloadCompressor make() {
            return this == NEVER
                    ? PayloadCompressor.never()
                    : PayloadCompressor.gated(
                            MEMORY_BYTES_PER_SECOND,
                            SystemNanoClock.INSTANCE,
                            BlockCompressors.named("lz4"),
                            BlockCompressors.named("snappy"),
                            BlockCompressors.named("zstd"));
        }
    }

    /** A block to be sent over and over. */
    @State(Scope.Thread)
    public static class Sender {
        /** Who decides. */
        @Param
        public Decision decision;

        final DataHeader header = new DataHeader().clusterId(1).origin(2).clock(3);
        final Block block = new Block();
        final FrameChecksum checksum = new FrameChecksum();
        final FrameBuffer frame = FrameBuffer.forDataFrames(Payload.ELEMENTS);
        final DataFrameEncoder encoder = new DataFrameEncoder(Payload.ELEMENTS);
        PayloadCompressor compressor;

        /** Composes the block and lets the gate settle; not measured. */
        @Setup
        public void setUp() {
            Payload.compose(Payload.updates(new SplittableRandom(1)), block.wrap(frame));
            compressor = decision.make();
            for (int i = 0; i < SETTLING_FRAMES; i++) {
                send();
            }
            if (compressor.report().bytesSaved() > 0) {
                throw new IllegalStateException(
                        "the gate is not off: " + compressor.report().summary());
            }
        }

        int send() {
            return encoder.encode(frame, header, block, compressor, checksum);
        }

        int blockLength() {
            return Frame.DATA_LENGTH + block.length();
        }
    }

    /** Encodes the frame; returns its length. */
    @Benchmark
    public int encode(Sender sender) {
        return sender.send();
    }
}
