package io.sluice.perf.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ZlibTest {
    private static final int LENGTH = 10_000;

    private final Zlib zlib = new Zlib();
    private final FrameBuffer from = new FrameBuffer(LENGTH);
    private final FrameBuffer to = new FrameBuffer(zlib.maxCompressedLength(LENGTH));

    @ParameterizedTest
    @ValueSource(ints = {0, 50, 100})
    void givesBackWhatItTook(int zeros) {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < LENGTH; i++) {
            from.buffer().putByte(i, random.nextInt(100) < zeros ? 0 : (byte) random.nextInt());
        }
        int length = zlib.compress(from.buffer(), 0, LENGTH, to.buffer(), 0, to.capacity());
        assertTrue(zeros < 100 || length < LENGTH / 10, zeros + " % zeros: " + length);
        FrameBuffer back = new FrameBuffer(LENGTH);
        assertEquals(LENGTH, zlib.decompress(to.buffer(), 0, length, back.buffer(), 0, LENGTH));
        assertEquals(-1, from.segment().mismatch(back.segment()));
    }

    @Test
    void aLengthThatIsNotTheRightOneIsNoticed() {
        int length = zlib.compress(from.buffer(), 0, LENGTH, to.buffer(), 0, to.capacity());
        FrameBuffer back = new FrameBuffer(2 * LENGTH);
        assertEquals(-1, zlib.decompress(to.buffer(), 0, length, back.buffer(), 0, LENGTH + 1));
    }
}
