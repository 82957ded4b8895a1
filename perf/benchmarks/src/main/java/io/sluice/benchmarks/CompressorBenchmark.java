package io.sluice.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
 * Compressors on filtered updates, one core. The row {@code megabytes} is the speed in MB of payload per second,
 * {@code ratio} the bytes of the payload over those compressed, {@code ratioToDense} the bytes of all elements as f32
 * over those compressed.
 *
 * <p>Each invocation has the next of many payloads, so that no branch predictor memorises one. Native libraries work
 * off the heap, libraries in Java on arrays. A full run takes an hour and a half; a short one has {@code -f 1 -p
 * kept=0.1 -p elements=16320}.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 5,
        jvmArgsAppend = {
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"
        })
public class CompressorBenchmark {
    private static final int PAYLOAD_BYTES = 8 << 20;
    private static final int LEAST_PAYLOADS = 64;
    private static final int MOST_PAYLOADS = 2_048;
    private static final int UNIT = 64;

    /** Payloads, raw and compressed. */
    @State(Scope.Thread)
    public static class Payloads {
        /** The compressor. */
        @Param
        public Algorithm compressor;

        /** The input layout. */
        @Param
        public Layout layout;

        /** The source of the updates: {@code synthetic}, or a file of raw little-endian f32. */
        @Param(Updates.SYNTHETIC)
        public String updates;

        /** Share of elements that pass the filter. */
        @Param({"0.01", "0.1", "0.5"})
        public double kept;

        /** Elements of a slice, a multiple of 64. */
        @Param({"1024", "16320"})
        public int elements;

        final List<Bytes> raw = new ArrayList<>();
        final List<Bytes> compressed = new ArrayList<>();
        Codec codec;
        Bytes target;
        int index;

        /** Creates the payloads and checks that each is decompressed to its original; not measured. */
        @Setup
        public void setUp() throws IOException {
            if (elements < UNIT || elements % UNIT != 0) {
                throw new IllegalArgumentException("elements is " + elements + ", expected a multiple of 64");
            }
            codec = compressor.open();
            int slices = Math.clamp(PAYLOAD_BYTES / (elements * Float.BYTES), LEAST_PAYLOADS, MOST_PAYLOADS);
            Updates source = Updates.of(updates, slices * elements);
            float threshold = source.threshold(kept);
            for (int i = 0; i < slices; i++) {
                byte[] payload = layout.bytes(source.slice(i, elements), threshold);
                if (payload.length > 0) {
                    raw.add(Bytes.of(payload));
                }
            }
            if (raw.isEmpty()) {
                throw new IllegalArgumentException("kept is " + kept + ", and no element of a slice passes");
            }
            int longest = raw.stream().mapToInt(Bytes::length).max().orElseThrow();
            target = new Bytes(Math.max(longest, codec.maxLength(longest)));
            raw.forEach(payload -> compressed.add(compressed(payload)));
            CompressionRatio.report((long) raw.size() * elements * Float.BYTES, sum(raw), sum(compressed));
        }

        private Bytes compressed(Bytes payload) {
            Bytes result = Bytes.of(codec.written(target, codec.compress(payload, target)));
            int length = codec.decompress(result, target, payload.length());
            if (!Arrays.equals(codec.written(target, length), payload.array())) {
                throw new IllegalStateException(compressor + " does not restore its input");
            }
            return result;
        }

        private static long sum(List<Bytes> payloads) {
            return payloads.stream().mapToLong(Bytes::length).sum();
        }

        int next() {
            index = index + 1 < raw.size() ? index + 1 : 0;
            return index;
        }
    }

    /** Counts the compressed payloads. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Throughput {
        private static final double MEGA = 1e6;

        /** Millions of bytes of payload, not compressed. */
        public double megabytes;

        void add(Bytes payload) {
            megabytes += payload.length() / MEGA;
        }
    }

    /** Compresses the next payload; returns its new length. */
    @Benchmark
    public int compress(Payloads payloads, Throughput throughput) {
        Bytes from = payloads.raw.get(payloads.next());
        throughput.add(from);
        return payloads.codec.compress(from, payloads.target);
    }

    /** Decompresses the next payload; returns its length. */
    @Benchmark
    public int decompress(Payloads payloads, Throughput throughput) {
        int index = payloads.next();
        Bytes payload = payloads.raw.get(index);
        throughput.add(payload);
        return payloads.codec.decompress(payloads.compressed.get(index), payloads.target, payload.length());
    }
}
