package io.sluice.messaging;

import org.agrona.DirectBuffer;

/** Handles the valid frames of an {@link Inbox}, on the thread that polls it. */
@FunctionalInterface
public interface FrameHandler {
    /** What the inbox does with a frame after the call of the handler. */
    enum Action {
        /** The handler has handled the frame. */
        CONTINUE,
        /**
         * The handler cannot handle the frame now: the next poll delivers it again, and other senders are not delayed.
         */
        ABORT
    }

    /**
     * Handles one frame. The bytes are valid only during the call. They are off-heap, so that kernels can read them by
     * address.
     *
     * @param buffer buffer holding the frame.
     * @param offset offset of its first byte, the SBE header.
     * @param length length in bytes, checked against the frame's own lengths.
     * @param templateId template id from the header.
     * @param sessionId Aeron session of the sender.
     * @return what the inbox does with the frame.
     */
    Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int sessionId);
}
