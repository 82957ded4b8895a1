package io.sluice.perf.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.messaging.FrameHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The frames that are sent, and the count of those that arrive. */
final class NumberedFramesTest {
    private final FrameValidator validator = new FrameValidator(1, new FrameChecksum());

    @ParameterizedTest
    @CsvSource({"64,false", "64,true", "68,true", "1024,false", "65472,true", "65536,false", "65536,true"})
    void areSoundAndArriveInTurn(int length, boolean addsChecksum) {
        NumberedFrames frames = new NumberedFrames(length, addsChecksum);
        Receiver arrivals = new Receiver(length, null, 0, null, null);
        for (int i = 0; i < 3 * NumberedFrames.COUNT; i++) {
            int offset = frames.next();
            assertNull(validator.validate(frames.buffer(), offset, length), "frame " + i);
            assertEquals(FrameHandler.Action.CONTINUE, arrivals.onFrame(frames.buffer(), offset, length, 1, 0));
        }
        assertEquals(3 * NumberedFrames.COUNT, arrivals.frames());
        assertEquals(3L * NumberedFrames.COUNT * length, arrivals.bytes());
    }

    @Test
    void aChecksumFollowsTheNewClock() {
        NumberedFrames frames = new NumberedFrames(256, true);
        int first = Frame.checksum(frames.buffer(), frames.next());
        for (int i = 1; i < NumberedFrames.COUNT; i++) {
            frames.next();
        }
        assertNotEquals(first, Frame.checksum(frames.buffer(), frames.next()));
    }

    @Test
    void aFrameThatIsMissingDoubledOrShortIsNoticed() {
        NumberedFrames frames = new NumberedFrames(256, false);
        Receiver arrivals = new Receiver(256, null, 0, null, null);
        int first = frames.next();
        int second = frames.next();
        int third = frames.next();
        arrivals.onFrame(frames.buffer(), first, 256, 1, 0);
        for (int wrong : new int[] {first, third}) {
            String message = assertThrows(
                            IllegalStateException.class, () -> arrivals.onFrame(frames.buffer(), wrong, 256, 1, 0))
                    .getMessage();
            assertTrue(message.startsWith("frame 1 has number "), message);
        }
        assertThrows(IllegalStateException.class, () -> arrivals.onFrame(frames.buffer(), second, 252, 1, 0));
        arrivals.onFrame(frames.buffer(), second, 256, 1, 0);
        assertEquals(2, arrivals.frames());
    }
}
