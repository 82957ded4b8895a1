package io.sluice.perf.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ByteCodecTest {
    private static final int LENGTH = 10_000;

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "snappy", "zstd", ByteCodec.ZLIB})
    void givesBackWhatItTook(String name) {
        ByteCodec codec = ByteCodec.named(name);
        SplittableRandom random = new SplittableRandom(1);
        for (int zeros : new int[] {0, 50, 100}) {
            FrameBuffer from = new FrameBuffer(LENGTH);
            for (int i = 0; i < LENGTH; i++) {
                from.buffer().putByte(i, random.nextInt(100) < zeros ? 0 : (byte) random.nextInt());
            }
            FrameBuffer to = new FrameBuffer(codec.maxLength(LENGTH));
            FrameBuffer back = new FrameBuffer(LENGTH);
            int length = codec.compress(from, LENGTH, to);
            assertTrue(zeros < 100 || name.equals("none") || length < LENGTH / 10, zeros + " % zeros: " + length);
            codec.decompress(to, 0, length, back, LENGTH);
            assertEquals(-1, from.segment().mismatch(back.segment()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lz4", "snappy", "zstd", ByteCodec.ZLIB})
    void aLengthThatIsNotTheRightOneIsNoticed(String name) {
        ByteCodec codec = ByteCodec.named(name);
        FrameBuffer from = new FrameBuffer(LENGTH);
        FrameBuffer to = new FrameBuffer(codec.maxLength(LENGTH));
        int length = codec.compress(from, LENGTH, to);
        FrameBuffer back = new FrameBuffer(2 * LENGTH);
        assertThrows(IllegalStateException.class, () -> codec.decompress(to, 0, length, back, LENGTH + 1));
    }
}
