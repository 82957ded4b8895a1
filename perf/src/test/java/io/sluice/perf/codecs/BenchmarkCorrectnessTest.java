package io.sluice.perf.codecs;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.CompressionReport;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.ValueType;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every benchmark of this package against what it is meant to do. */
final class BenchmarkCorrectnessTest {
    @Test
    void aFifthOfAPayloadIsNotZero() {
        float[] updates = Payload.updates(new SplittableRandom(1));
        FrameBuffer dense = Payload.ZERO_FILLED.of(updates);
        int sent = 0;
        for (int i = 0; i < updates.length; i++) {
            float value = dense.segment().getAtIndex(JAVA_FLOAT, i);
            assertEquals(Math.abs(updates[i]) > (float) Payload.THRESHOLD ? updates[i] : 0.0f, value);
            sent += value != 0 ? 1 : 0;
        }
        assertEquals(0.2, sent / (double) updates.length, 0.01);
        int expected = BlockFormat.BITMAP.minLength(ValueType.F32, updates.length, sent);
        assertEquals(expected, Payload.FILTERED_BLOCK.of(updates).capacity());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "snappy", "zstd"})
    void decompressGivesBackWhatCompressTook(String compressor) {
        for (Payload payload : Payload.values()) {
            CompressorBenchmark.Payloads payloads = new CompressorBenchmark.Payloads();
            payloads.compressor = compressor;
            payloads.payload = payload;
            payloads.setUp();
            CompressorBenchmark.Bytes in = new CompressorBenchmark.Bytes();
            CompressorBenchmark.Bytes out = new CompressorBenchmark.Bytes();
            for (int i = 0; i < 40; i++) {
                int length = new CompressorBenchmark().decompress(payloads, out);
                FrameBuffer raw = payloads.raw[payloads.index];
                assertEquals(raw.capacity(), length);
                assertEquals(
                        -1, raw.segment().mismatch(payloads.target.segment().asSlice(0, length)));
            }
            payloads.index = 0;
            for (int i = 0; i < 40; i++) {
                int length = new CompressorBenchmark().compress(payloads, in);
                FrameBuffer compressed = payloads.compressed[payloads.index];
                assertEquals(compressed.capacity(), length);
                assertEquals(
                        -1,
                        compressed.segment().mismatch(payloads.target.segment().asSlice(0, length)));
            }
            assertTrue(in.bytesIn > 0);
            assertEquals(in.bytesIn, out.bytesOut);
            assertEquals(in.bytesOut, out.bytesIn);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aGateThatIsOffSendsTheBlockAsItIs(GateBenchmark.Decision decision) {
        GateBenchmark.Sender sender = new GateBenchmark.Sender();
        sender.decision = decision;
        sender.setUp();

        assertEquals(sender.blockLength(), new GateBenchmark().encode(sender));
        long probes = sender.compressor.report().rows().stream()
                .mapToLong(CompressionReport.Row::framesTried)
                .sum();
        assertEquals(decision == GateBenchmark.Decision.GATE_OFF, probes > 0);
        assertTrue(probes < 60, "probes: " + probes);
    }

    @ParameterizedTest
    @CsvSource({
        "1024,DENSE,240,240",
        "65344,DENSE,16320,16320",
        "1024,BITMAP,1024,208",
        "65344,BITMAP,65536,14272",
    })
    void framesHaveTheirLengthAndAreSound(int bytes, BlockFormat format, int elements, int count) {
        FrameBenchmark.Link link = new FrameBenchmark.Link();
        link.bytes = bytes;
        link.format = format;
        link.setUp();
        int checksum = Frame.checksum(link.frame.buffer(), 0);
        assertEquals(count, new FrameBenchmark().validateAndDecode(link));
        assertEquals(elements, link.decoder.elements());
        assertEquals(format, link.decoder.format());
        assertEquals(bytes, new FrameBenchmark().encode(link));
        assertEquals(checksum, Frame.checksum(link.frame.buffer(), 0));
        assertEquals(count, new FrameBenchmark().validateAndDecode(link));
    }
}
