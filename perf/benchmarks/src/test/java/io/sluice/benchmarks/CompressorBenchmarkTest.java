package io.sluice.benchmarks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** The benchmark compresses what it says it compresses, and its forks run. */
final class CompressorBenchmarkTest {
    private static final int ELEMENTS = 16_320;

    @TempDir
    private Path folder;

    private static CompressorBenchmark.Payloads payloads(Algorithm compressor, Layout layout) throws IOException {
        CompressorBenchmark.Payloads payloads = new CompressorBenchmark.Payloads();
        payloads.compressor = compressor;
        payloads.layout = layout;
        payloads.updates = Updates.SYNTHETIC;
        payloads.kept = 0.1;
        payloads.elements = ELEMENTS;
        payloads.setUp();
        return payloads;
    }

    @ParameterizedTest
    @EnumSource
    void decompressGivesBackWhatCompressTook(Algorithm compressor) throws IOException {
        for (Layout layout : Layout.values()) {
            CompressorBenchmark.Payloads payloads = payloads(compressor, layout);
            CompressorBenchmark benchmark = new CompressorBenchmark();
            CompressorBenchmark.Throughput throughput = new CompressorBenchmark.Throughput();
            int compressed = benchmark.compress(payloads, throughput);
            assertEquals(payloads.compressed.get(payloads.index).length(), compressed);
            int length = benchmark.decompress(payloads, throughput);
            byte[] raw = payloads.raw.get(payloads.index).array();
            assertArrayEquals(raw, payloads.codec.written(payloads.target, length));
            assertTrue(compressed < 1.2 * raw.length, () -> compressor + " makes " + compressed);
        }
    }

    @Test
    void theWantedShareOfElementsPasses() throws IOException {
        Updates updates = Updates.of(Updates.SYNTHETIC, 64 * ELEMENTS);
        float threshold = updates.threshold(0.1);
        int kept = 0;
        for (int i = 0; i < 64; i++) {
            ByteBuffer zeros = ByteBuffer.wrap(Layout.ZEROS.bytes(updates.slice(i, ELEMENTS), threshold));
            assertEquals(ELEMENTS * Float.BYTES, zeros.remaining());
            while (zeros.hasRemaining()) {
                kept += zeros.getInt() == 0 ? 0 : 1;
            }
        }
        assertEquals(0.1, kept / (64.0 * ELEMENTS), 1e-4);
    }

    @Test
    void aFileOfUpdatesIsRepeated() throws IOException {
        Path file = folder.resolve("updates.f32");
        ByteBuffer bytes = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        Files.write(file, bytes.putFloat(1).putFloat(-2).putFloat(3).array());
        assertArrayEquals(
                new float[] {1, -2, 3, 1, -2}, Updates.of(file.toString(), 5).slice(0, 5));
        Files.write(file, new byte[6]);
        IOException refused = assertThrows(IOException.class, () -> Updates.of(file.toString(), 5));
        assertEquals(file + " has 6 bytes, expected a multiple of 4: raw f32", refused.getMessage());
    }

    @Test
    void aRunFailsIfABenchmarkFails() {
        assertEquals(
                List.of("Compressor", "-foe", "true", "-prof", CompressionRatio.class.getName()),
                Benchmarks.withDefaults(List.of("Compressor")));
        assertEquals(
                List.of("-foe", "false", "-prof", CompressionRatio.class.getName()),
                Benchmarks.withDefaults(List.of("-foe", "false")));
    }

    /** A fork without the flags it needs fails, and JMH then has no result. */
    @Test
    @Tag("slow")
    void forksRun() throws RunnerException {
        OptionsBuilder options = new OptionsBuilder();
        options.include("CompressorBenchmark.compress")
                .param("compressor", "SNAPPY_NATIVE", "SNAPPY_JAVA")
                .param("layout", "ZEROS")
                .param("kept", "0.1")
                .param("elements", "1024")
                .addProfiler(CompressionRatio.class)
                .shouldFailOnError(true)
                .forks(1)
                .warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(50))
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(50));
        for (RunResult result : new Runner(options.build()).run()) {
            assertTrue(result.getSecondaryResults().get("megabytes").getScore() > 0);
            assertTrue(result.getSecondaryResults().get("ratio").getScore() > 1.5);
        }
    }
}
