package io.sluice.tree;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MarkDecoder;
import io.sluice.messaging.FrameHandler;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * Passes on what servers broadcast, data and marks, byte for byte: each frame to the children that this node has in the
 * tree of the server that made it. Nothing behind the header is looked at.
 *
 * <p>Used by one thread, which polls the inbox that this is the handler of, and calls {@link #flush}. Allocates nothing
 * after construction.
 */
public final class Relay implements FrameHandler {
    private final FrameRing[] rings;
    private final int longest;
    private final FrameHandler passed;
    private final Consumer<Rejection> reject;

    /**
     * Creates a relay.
     *
     * @param rings  by root, the links to this node's children in that tree; null where it has none
     * @param longest frame that is broadcast, in bytes: what is longer did not come from a server
     * @param passed sees each frame after it has been passed on; its answer is ignored
     * @param reject counts a frame of a root for which this node has no children, or that no server broadcasts
     */
    public Relay(FrameRing[] rings, int longest, FrameHandler passed, Consumer<Rejection> reject) {
        this.rings = rings.clone();
        this.longest = longest;
        this.passed = passed;
        this.reject = reject;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int root = Frame.origin(buffer, offset);
        FrameRing ring = root >= 0 && root < rings.length ? rings[root] : null;
        if (null == ring) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        if (DataDecoder.TEMPLATE_ID != templateId && MarkDecoder.TEMPLATE_ID != templateId) {
            return drop(Rejection.UNEXPECTED);
        }
        if (length > longest) {
            return drop(Rejection.BAD_LENGTH);
        }
        if (!ring.pass(buffer, offset, length)) {
            return Action.ABORT;
        }
        passed.onFrame(buffer, offset, length, templateId, session);
        return Action.CONTINUE;
    }

    private Action drop(Rejection rejection) {
        reject.accept(rejection);
        return Action.CONTINUE;
    }

    /**
     * Offers to links that are behind what they have yet to be offered, and looks at all. To be called in every duty
     * cycle.
     *
     * @return frames sent
     * @throws io.sluice.messaging.LinkClosedException if a link will never take a frame again
     */
    public int flush() {
        int sent = 0;
        for (FrameRing ring : rings) {
            if (null != ring) {
                sent += ring.flush();
                ring.look();
            }
        }
        return sent;
    }

    /**
     * Whether all that has come has been passed on to all who are still there.
     *
     * @return true if nothing waits but for receivers that are gone
     */
    public boolean isSettled() {
        for (FrameRing ring : rings) {
            if (null != ring && !ring.isSettled()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether anybody is there to pass frames on to.
     *
     * @return true if some link is connected
     */
    public boolean isConnected() {
        for (FrameRing ring : rings) {
            if (null != ring && ring.isConnected()) {
                return true;
            }
        }
        return false;
    }
}
