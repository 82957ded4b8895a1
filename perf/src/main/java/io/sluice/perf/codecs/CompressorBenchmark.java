package io.sluice.perf.codecs;

import io.sluice.codecs.BlockCompressor;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.FrameBuffer;
import io.sluice.perf.JvmFlags;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Compressors on what 80% sparse updates become: Sluice's block, and the paper's zero-filled slice. Unit: elements of
 * the slice per microsecond, so that both payloads, which differ in length for the same slice, compare.
 *
 * <p>The rows {@code bytesIn} and {@code bytesOut} are bytes per microsecond: their ratio is that of the compression,
 * and {@code bytesOut} of a compress divided by its elements gives bytes per element. 32 payloads take turns, so that
 * no branch predictor learns one by heart; all of them fit a second or third level cache. Not measured: the filter, and
 * the copy back into the frame.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@OperationsPerInvocation(Payload.ELEMENTS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class CompressorBenchmark {
    private static final int PAYLOADS = 32;

    /** A number of payloads, raw and compressed. */
    @State(Scope.Thread)
    public static class Payloads {
        /** Name of the compressor. */
        @Param({"none", "lz4", "snappy", "zstd"})
        public String compressor;

        /** What is compressed. */
        @Param
        public Payload payload;

        final FrameBuffer[] raw = new FrameBuffer[PAYLOADS];
        final FrameBuffer[] compressed = new FrameBuffer[PAYLOADS];
        FrameBuffer target;
        BlockCompressor codec;
        int index;

        /** Makes the payloads; not measured. */
        @Setup
        public void setUp() {
            codec = BlockCompressors.named(compressor);
            target = new FrameBuffer(codec.maxCompressedLength(Payload.ELEMENTS * Float.BYTES));
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < PAYLOADS; i++) {
                raw[i] = payload.of(Payload.updates(random));
                int length = compress(raw[i]);
                compressed[i] = new FrameBuffer(length);
                compressed[i].buffer().putBytes(0, target.buffer(), 0, length);
            }
        }

        int compress(FrameBuffer from) {
            return codec.compress(from.buffer(), 0, from.capacity(), target.buffer(), 0, target.capacity());
        }

        int decompress(FrameBuffer from, int expectedLength) {
            return codec.decompress(from.buffer(), 0, from.capacity(), target.buffer(), 0, expectedLength);
        }

        int next() {
            index = (index + 1) % PAYLOADS;
            return index;
        }
    }

    /** Bytes that went through the codec. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Bytes {
        /** Bytes read. */
        public long bytesIn;

        /** Bytes written. */
        public long bytesOut;
    }

    /** Compresses the next payload; returns its new length. */
    @Benchmark
    public int compress(Payloads payloads, Bytes bytes) {
        FrameBuffer from = payloads.raw[payloads.next()];
        int length = payloads.compress(from);
        bytes.bytesIn += from.capacity();
        bytes.bytesOut += length;
        return length;
    }

    /** Decompresses the next payload; returns its length. */
    @Benchmark
    public int decompress(Payloads payloads, Bytes bytes) {
        int index = payloads.next();
        FrameBuffer from = payloads.compressed[index];
        int length = payloads.decompress(from, payloads.raw[index].capacity());
        bytes.bytesIn += from.capacity();
        bytes.bytesOut += length;
        return length;
    }
}
