package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.sbe.DataDecoder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/** Bytes made by an attacker who knows the format and computes the checksum: all that can be enumerated. */
final class HostileFrames {
    private static final int COMPRESSOR = Frame.HEADER_LENGTH + DataDecoder.compressorEncodingOffset();

    private static final int[] NUMBERS = {
        Integer.MIN_VALUE,
        -1,
        0,
        1,
        31,
        32,
        33,
        64,
        65,
        1024,
        65_535,
        65_536,
        65_537,
        1 << 29,
        1 << 30,
        Integer.MAX_VALUE
    };

    private final FrameJudge judge;
    private final FrameMutator mutator = new FrameMutator();
    private final FrameChecksum checksum = new FrameChecksum();

    HostileFrames(FrameJudge judge) {
        this.judge = judge;
    }

    /** Every beginning of every frame: as it is, checksum corrected, and with its lengths mended too. */
    void truncations() {
        for (byte[] frame : FrameCorpus.all()) {
            for (int cut = 0; cut < frame.length; cut++) {
                assertNotNull(judge.judge(frame, cut), "cut at " + cut);
                mutator.cut(frame, cut);
                mutator.writeChecksum();
                assertNotNull(judge.judge(mutator.bytes(), cut), "cut at " + cut + ", sealed");
                mutator.mendLengths();
                mutator.writeChecksum();
                assertNotNull(judge.judge(mutator.bytes(), cut), "cut at " + cut + ", lengths mended");
            }
        }
    }

    /** Every beginning of every block without its frame, and any count of any number of elements. */
    void truncatedBlocks() {
        for (GoldenBlock block : GoldenBlock.all()) {
            byte[] bytes = block.bytes();
            for (int cut = 0; cut < bytes.length; cut++) {
                boolean valid =
                        judge.judgeBlock(bytes, cut, block.format(), block.type(), block.elements(), block.count());
                assertFalse(valid, block + " cut at " + cut);
                for (int number : NUMBERS) {
                    judge.judgeBlock(bytes, cut, block.format(), block.type(), block.elements(), number);
                    judge.judgeBlock(bytes, cut, block.format(), block.type(), number, number);
                    judge.judgeBlock(bytes, cut, block.format(), block.type(), number, block.count());
                }
            }
        }
    }

    /**
     * Every single flipped bit of every frame: refused for its checksum at least, opened all the same, and checked
     * again with the checksum corrected.
     */
    void flippedBits() {
        for (byte[] frame : FrameCorpus.all()) {
            UnsafeBuffer buffer = new UnsafeBuffer(frame.clone());
            byte[] bytes = buffer.byteArray();
            for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
                bytes[bit / 8] ^= (byte) (1 << bit % 8);
                assertNotNull(judge.judge(bytes, bytes.length), "bit " + bit);
                checksum.write(buffer, 0, bytes.length);
                judge.judge(bytes, bytes.length);
                System.arraycopy(frame, 0, bytes, 0, bytes.length);
            }
        }
    }

    /**
     * Every value of the first bytes of an uncompressed block, where widths and indices are, and some values of all
     * others.
     */
    void everyByteOfTheBlock() {
        for (GoldenFrame golden : GoldenFrame.all()) {
            if (!golden.isData()) {
                continue;
            }
            UnsafeBuffer buffer = new UnsafeBuffer(golden.bytes().clone());
            byte[] bytes = buffer.byteArray();
            for (int at = Frame.DATA_LENGTH; at < bytes.length; at++) {
                for (int value = 0; value < 256; value += at < Frame.DATA_LENGTH + 24 ? 1 : 17) {
                    bytes[at] = (byte) value;
                    checksum.write(buffer, 0, bytes.length);
                    judge.judge(bytes, bytes.length);
                }
                bytes[at] = golden.bytes()[at];
            }
        }
    }

    /** Random bytes. */
    void noise(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(513)];
        random.nextBytes(bytes);
        assertNotNull(judge.judge(bytes, bytes.length));
        if (bytes.length >= Frame.ENVELOPE_END) {
            checksum.write(new UnsafeBuffer(bytes), 0, bytes.length);
            assertNotNull(judge.judge(bytes, bytes.length));
        }
    }

    /** Random payloads that claim to be compressed. */
    void compressedNoise(SplittableRandom random) {
        byte[] frame = GoldenFrame.named("DENSE-F32-full").bytes();
        int length = random.nextInt(Frame.DATA_LENGTH, frame.length);
        byte[] bytes = Arrays.copyOf(frame, length);
        for (int i = Frame.DATA_LENGTH; i < length; i++) {
            bytes[i] = (byte) (random.nextInt(3) == 0 ? 0 : random.nextInt());
        }
        bytes[COMPRESSOR] = (byte) random.nextInt(1, BlockCompressors.CODES);
        mutator.cut(bytes, length);
        mutator.mendLengths();
        mutator.writeChecksum();
        judge.judge(mutator.bytes(), length);
    }

    /** One frame made wrong in several ways. */
    void mutation(SplittableRandom random) {
        int length = mutator.mutate(random);
        judge.judge(mutator.bytes(), length);
    }

    /** All frames that can be enumerated. */
    void all() {
        for (byte[] frame : FrameCorpus.all()) {
            assertNull(judge.judge(frame, frame.length));
        }
        truncations();
        truncatedBlocks();
        flippedBits();
        everyByteOfTheBlock();
        assertTrue(judge.accepted() > 10_000, "too few accepted to mean anything: " + judge.accepted());
        assertTrue(judge.unverified() > 10_000, "too few unverified to mean anything: " + judge.unverified());
    }
}
