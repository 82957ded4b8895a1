package io.sluice.messaging;

import org.agrona.DirectBuffer;

/** Takes the sound frames of an {@link Inbox}, on the thread that polls it. */
@FunctionalInterface
public interface FrameHandler {
    /** What the inbox does with a frame after the call of the handler. */
    enum Action {
        /** It was handled. */
        CONTINUE,
        /** It could not be handled now: the next poll delivers the same frame again, other senders are not held up. */
        ABORT
    }

    /**
     * Handles one frame. The bytes are valid only during the call. They are off-heap, so that kernels can read them by
     * address.
     *
     * @param buffer holding the frame.
     * @param offset of its first byte, the SBE header.
     * @param length in bytes, checked against the frame's own lengths.
     * @param templateId from the header.
     * @param sessionId Aeron session of the sender.
     * @return what becomes of the frame.
     */
    Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int sessionId);
}
