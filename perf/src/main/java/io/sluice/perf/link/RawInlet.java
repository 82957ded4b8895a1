package io.sluice.perf.link;

import io.aeron.ControlledFragmentAssembler;
import io.aeron.Subscription;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.Header;
import io.sluice.codecs.FrameChecksum;
import io.sluice.messaging.FrameHandler;
import org.agrona.DirectBuffer;

/** Aeron's subscription, polled as an Aeron user would: with Aeron's own assembler only for fragmented frames. */
final class RawInlet implements Inlet {
    private final Subscription subscription;
    private final FrameHandler handler;
    private final FrameChecksum checksum;
    private final ControlledFragmentHandler fragmentHandler;
    private RuntimeException failure;

    /**
     * Creates an inlet.
     *
     * @param handler handler of the frames; its template id is always 0
     * @param checksum checksum to verify frames with, or {@code null} for no verification
     * @param inPieces whether frames are longer than one fragment
     */
    RawInlet(Subscription subscription, FrameHandler handler, FrameChecksum checksum, boolean inPieces) {
        this.subscription = subscription;
        this.handler = handler;
        this.checksum = checksum;
        fragmentHandler = inPieces ? new ControlledFragmentAssembler(this::onFrame) : this::onFrame;
    }

    @Override
    public int poll(int limit) {
        int taken = subscription.controlledPoll(fragmentHandler, limit);
        if (failure != null) {
            throw failure;
        }
        return taken;
    }

    private ControlledFragmentHandler.Action onFrame(DirectBuffer buffer, int offset, int length, Header header) {
        try {
            if (checksum != null && !checksum.verify(buffer, offset, length)) {
                throw new IllegalStateException("a frame of " + length + " bytes has a wrong checksum");
            }
            return handler.onFrame(buffer, offset, length, 0, header.sessionId()) == FrameHandler.Action.CONTINUE
                    ? ControlledFragmentHandler.Action.CONTINUE
                    : ControlledFragmentHandler.Action.ABORT;
        } catch (RuntimeException e) {
            // Aeron would pass the exception to its error handler and continue.
            failure = e;
            return ControlledFragmentHandler.Action.BREAK;
        }
    }
}
