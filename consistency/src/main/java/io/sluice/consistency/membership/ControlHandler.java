package io.sluice.consistency.membership;

import io.sluice.messaging.FrameHandler;
import org.agrona.DirectBuffer;

/** Lets the control stream change hands: first the joining reads it, then the agent. Used by one thread at a time. */
final class ControlHandler implements FrameHandler {
    private FrameHandler reader = (buffer, offset, length, templateId, session) -> Action.CONTINUE;

    void readBy(FrameHandler newReader) {
        reader = newReader;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        return reader.onFrame(buffer, offset, length, templateId, session);
    }
}
