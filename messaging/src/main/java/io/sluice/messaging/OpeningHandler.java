package io.sluice.messaging;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.seal.FrameOpener;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * Opens sealed frames and passes them on; drops frames that are not authentic. The next handler gets each frame in a
 * buffer that the next frame overwrites.
 *
 * <p>A deferred frame arrives again at every poll without counting as a repeat. It is opened once, unless another frame
 * arrives in between.
 *
 * <p>For one thread.
 */
public final class OpeningHandler implements FrameHandler {
    private final FrameOpener opener;
    private final FrameHandler opened;
    private final Consumer<Rejection> reject;
    private final boolean asItCame;

    /** Buffer of the frame that was opened last and deferred; null if there is none. */
    private DirectBuffer deferredBuffer;

    private int deferredOffset;
    private int deferredSession;
    private long deferredCounter;
    private int deferredLane;
    private int deferredOrigin;

    /**
     * Creates a handler that opens frames and hands them to another handler.
     *
     * @param opener opens the frames of known senders
     * @param opened receives the opened frames
     * @param reject counts dropped frames
     */
    public OpeningHandler(FrameOpener opener, FrameHandler opened, Consumer<Rejection> reject) {
        this(opener, opened, reject, false);
    }

    private OpeningHandler(FrameOpener opener, FrameHandler opened, Consumer<Rejection> reject, boolean asItCame) {
        this.opener = opener;
        this.opened = opened;
        this.reject = reject;
        this.asItCame = asItCame;
    }

    /**
     * Creates a handler that verifies frames for a handler that forwards them, which receives authentic frames still
     * sealed.
     *
     * @param opener verifies the frames of known senders
     * @param passing receives the authentic frames, still sealed
     * @param reject counts dropped frames
     * @return the handler
     */
    public static OpeningHandler ofGenuine(FrameOpener opener, FrameHandler passing, Consumer<Rejection> reject) {
        return new OpeningHandler(opener, passing, reject, true);
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (!isOpen(buffer, offset, length, session)) {
            deferredBuffer = null;
            Rejection rejection = opener.open(buffer, offset, length);
            if (rejection != null) {
                reject.accept(rejection);
                return Action.CONTINUE;
            }
        }
        Action action = asItCame
                ? opened.onFrame(buffer, offset, length, templateId, session)
                : opened.onFrame(opener.frame(), 0, opener.length(), templateId, session);
        deferredBuffer = null;
        if (action == Action.ABORT) {
            remember(buffer, offset, length, session);
        } else {
            opener.taken();
        }
        return action;
    }

    private boolean isOpen(DirectBuffer buffer, int offset, int length, int session) {
        int end = offset + length;
        return deferredBuffer == buffer
                && deferredOffset == offset
                && deferredSession == session
                && deferredOrigin == Frame.origin(buffer, offset)
                && deferredLane == SealTrailer.lane(buffer, end)
                && deferredCounter == SealTrailer.counter(buffer, end);
    }

    private void remember(DirectBuffer buffer, int offset, int length, int session) {
        int end = offset + length;
        deferredBuffer = buffer;
        deferredOffset = offset;
        deferredSession = session;
        deferredOrigin = Frame.origin(buffer, offset);
        deferredLane = SealTrailer.lane(buffer, end);
        deferredCounter = SealTrailer.counter(buffer, end);
    }
}
