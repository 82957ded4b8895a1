package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FakeCompressor.FakeTime;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;

class PayloadCompressorTest {
    private static final int ELEMENTS = 4096;
    private static final double GIGABYTE = 1e9;

    private final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);
    private final Block block = new Block();
    private final FakeTime time = new FakeTime();
    private final FakeCompressor first = new FakeCompressor(1, time);
    private final FakeCompressor second = new FakeCompressor(2, time);

    private int send(PayloadCompressor compressor) {
        block.wrap(frame).set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, ELEMENTS * Float.BYTES);
        return compressor.compress(frame, block, ValueType.F32);
    }

    @Test
    void neverLooksAtNothing() {
        PayloadCompressor never = PayloadCompressor.never();

        assertEquals(4 * ELEMENTS, send(never));
        assertEquals(NoCompressor.CODE, never.code());
        assertEquals(CompressionReport.NOTHING, never.report());
        assertEquals("nothing tried", never.report().summary());
        PayloadCompressor none = PayloadCompressor.always(BlockCompressors.named("none"), time);
        send(none);
        assertEquals(CompressionReport.NOTHING, none.report());
    }

    @Test
    void alwaysSendsWhatGetsShorterAndCountsAll() {
        PayloadCompressor always = PayloadCompressor.always(first.costs(0.5, 0).leaves(0.25), time);
        assertEquals(ELEMENTS, send(always));
        assertEquals(1, always.code());
        first.leaves(1);
        assertEquals(4 * ELEMENTS, send(always));
        assertEquals(NoCompressor.CODE, always.code());

        assertEquals(
                List.of(new CompressionReport.Row(
                        "dense f32", "fake 1", 2, 1, 8 * ELEMENTS, 5 * ELEMENTS, 3 * ELEMENTS, 4 * ELEMENTS, 1)),
                always.report().rows());
        assertEquals(3 * ELEMENTS, always.report().bytesSaved());
        assertEquals(
                "dense f32 fake 1 on, 1 of 2 frames to 63 %", always.report().summary());
        assertEquals(0, first.decompressed(), "nothing is measured where nothing is decided");
    }

    @Test
    void theGateSendsNothingCompressedBeforeItKnowsThatItPays() {
        PayloadCompressor gated = PayloadCompressor.gated(GIGABYTE, time, first, second);
        first.leaves(0.5).costs(0.1, 0.1);
        second.leaves(0.4).costs(5, 5);

        assertEquals(4 * ELEMENTS, send(gated));
        for (int i = 0; i < 10; i++) {
            send(gated);
        }
        assertEquals(2 * ELEMENTS, send(gated));
        assertEquals(1, gated.code());
        assertTrue(first.decompressed() > 0 && second.decompressed() > 0, "probes are decoded too");
        CompressionReport.Row row = gated.report().rows().get(1);
        assertEquals("fake 2", row.compressor());
        assertEquals(0, row.senders());
        assertEquals(0, row.framesCompressed(), "a probe of what does not pay is sent as it was");
    }

    @Test
    void theGateFollowsTheLinkRateItIsTold() {
        PayloadCompressor gated =
                PayloadCompressor.gated(GIGABYTE, time, first.leaves(0.5).costs(0.1, 0.1));
        sendMany(gated, 1000);
        assertEquals(1, gated.report().rows().getFirst().senders());

        gated.linkRate(100 * GIGABYTE);
        sendMany(gated, 1000);
        assertEquals(0, gated.report().rows().getFirst().senders());
        long before = first.compressed();
        sendMany(gated, 10_000);
        assertTrue(first.compressed() - before < 100, "tried while off: " + (first.compressed() - before));

        gated.linkRate(GIGABYTE);
        sendMany(gated, 2 * ProbeSchedule.LONGEST);
        assertEquals(1, gated.report().rows().getFirst().senders());
    }

    private void sendMany(PayloadCompressor compressor, int frames) {
        for (int i = 0; i < frames; i++) {
            send(compressor);
        }
    }

    @Test
    void emptyBlocksAreNotOffered() {
        PayloadCompressor always = PayloadCompressor.always(first.leaves(0.5), time);
        block.wrap(frame).set(BlockFormat.EMPTY, ValueType.F32, ELEMENTS, 0, 0);

        assertEquals(0, always.compress(frame, block, ValueType.F32));
        assertEquals(0, first.compressed());
    }

    @Test
    void refusesAGateWithoutCandidates() {
        assertThrows(IllegalArgumentException.class, () -> PayloadCompressor.gated(GIGABYTE, time));
    }

    /** On a link of 1 Mbit/s whatever gets shorter pays, and noise does not get shorter, on any machine. */
    @Test
    void realCompressorsOnRealBlocks() {
        PayloadCompressor gated = PayloadCompressor.gated(125_000, SystemNanoClock.INSTANCE, candidates());
        AcceptedCompressors accepted = AcceptedCompressors.named("lz4", "snappy", "zstd");
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, accepted);
        DataFrameEncoder encoder = new DataFrameEncoder(ELEMENTS);
        FrameChecksum checksum = new FrameChecksum();
        FrameValidator validator = new FrameValidator(SampleFrame.CLUSTER, checksum);
        SplittableRandom random = new SplittableRandom(7);
        byte[] raw = new byte[4 * ELEMENTS];
        for (int i = 0; i < 600; i++) {
            boolean compressible = i < 300;
            fill(random, raw, compressible);
            MemorySegment.copy(MemorySegment.ofArray(raw), 0, frame.segment(), Frame.DATA_LENGTH, raw.length);
            block.wrap(frame).set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, ELEMENTS * Float.BYTES);
            int length = encoder.encode(frame, SampleFrame.dataHeader(), block, gated, checksum);

            assertNull(validator.validate(frame.buffer(), 0, length));
            assertNull(decoder.wrap(frame.buffer(), 0, length));
            MemorySegment back = OffHeap.ALL.asSlice(decoder.blockAddress(), decoder.blockLength());
            assertEquals(-1, MemorySegment.ofArray(raw).mismatch(back));
            boolean sentCompressed = length < Frame.DATA_LENGTH + raw.length;
            assertEquals(compressible && i >= 20, sentCompressed && i >= 20, "frame " + i);
        }
        assertEquals(
                0,
                gated.report().rows().stream()
                        .mapToInt(CompressionReport.Row::senders)
                        .sum());
        assertTrue(
                gated.report().bytesSaved() > 280 * raw.length / 2,
                gated.report().summary());
    }

    /** Shared memory moves a byte in less time than any compressor looks at it. */
    @Test
    void realCompressorsDoNotPayOnALinkAsFastAsMemory() {
        PayloadCompressor gated = PayloadCompressor.gated(1e12, SystemNanoClock.INSTANCE, candidates());
        byte[] raw = new byte[4 * ELEMENTS];
        fill(new SplittableRandom(8), raw, true);
        MemorySegment.copy(MemorySegment.ofArray(raw), 0, frame.segment(), Frame.DATA_LENGTH, raw.length);
        for (int i = 0; i < 5000; i++) {
            assertEquals(raw.length, send(gated));
        }
        assertEquals(0, gated.report().bytesSaved());
    }

    private static BlockCompressor[] candidates() {
        return new BlockCompressor[] {
            BlockCompressors.named("lz4"), BlockCompressors.named("snappy"), BlockCompressors.named("zstd")
        };
    }

    private static void fill(SplittableRandom random, byte[] raw, boolean compressible) {
        random.nextBytes(raw);
        for (int i = 0; compressible && i < raw.length; i++) {
            raw[i] = i % 16 < 12 ? 0 : raw[i];
        }
    }
}
