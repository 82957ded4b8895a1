package io.sluice.consistency.membership;

import io.sluice.messaging.FrameHandler;
import org.agrona.DirectBuffer;

/** Lets the control stream change hands: first the joining reads it, then the agent. Used by one thread at a time. */
final class ControlHandler implements FrameHandler {
    private FrameHandler reader = (buffer, offset, length, templateId, session) -> Action.CONTINUE;

    void readBy(final FrameHandler newReader) {
        reader = newReader;
    }

    @Override
    public Action onFrame(
            final DirectBuffer buffer, final int offset, final int length, final int templateId, final int session) {
        return reader.onFrame(buffer, offset, length, templateId, session);
    }
}
