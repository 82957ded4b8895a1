package io.sluice.perf.link;

import io.sluice.messaging.FrameHandler;
import org.agrona.DirectBuffer;

/** Counts frames and checks that each is the next one of {@link SealedFrames}, and complete. Not thread-safe. */
final class Arrivals implements FrameHandler {
    private final int expectedLength;
    private long frames;
    private long bytes;

    /** Makes a counter of frames. @param expectedLength length of every frame in bytes. */
    Arrivals(int expectedLength) {
        this.expectedLength = expectedLength;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int sessionId) {
        int number = SealedFrames.number(buffer, offset);
        if (length != expectedLength || number != (frames & (SealedFrames.COUNT - 1))) {
            throw new IllegalStateException("frame " + frames + " has number " + number + " and " + length
                    + " bytes, expected number " + (frames & (SealedFrames.COUNT - 1)) + " and " + expectedLength);
        }
        frames++;
        bytes += length;
        return Action.CONTINUE;
    }

    /** Frames so far. */
    long frames() {
        return frames;
    }

    /** Bytes so far, as the transport reported them. */
    long bytes() {
        return bytes;
    }
}
