package io.sluice.consistency.membership;

import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.sbe.ChallengeDecoder;
import io.sluice.codecs.sbe.LeadDecoder;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.OpeningHandler;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * Passes the frames of the control stream first to {@link Joining}, then to the agent. Once the coordinator's key is
 * known, both receive only frames that the coordinator has sealed, and challenges and announcements of leaders, which
 * carry proofs. Used by one thread at a time.
 */
final class ControlHandler implements FrameHandler {
    private FrameHandler reader = (buffer, offset, length, templateId, session) -> Action.CONTINUE;

    /** Opens sealed frames; null while frames are not sealed. */
    private OpeningHandler opening;

    private Consumer<Rejection> rejecting;

    /** Whether the handler opens sealed frames. */
    boolean isOpening() {
        return null != opening;
    }

    void openWith(FrameOpener opener, Consumer<Rejection> reject) {
        opening = new OpeningHandler(
                opener,
                (buffer, offset, length, templateId, session) ->
                        reader.onFrame(buffer, offset, length, templateId, session),
                reject);
        rejecting = reject;
    }

    void readBy(FrameHandler newReader) {
        reader = newReader;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (null == opening || ChallengeDecoder.TEMPLATE_ID == templateId || LeadDecoder.TEMPLATE_ID == templateId) {
            return reader.onFrame(buffer, offset, length, templateId, session);
        }
        if (SealTrailer.isPresent(buffer, offset, length)) {
            return opening.onFrame(buffer, offset, length, templateId, session);
        }
        rejecting.accept(Rejection.NOT_SEALED);
        return Action.CONTINUE;
    }
}
