package io.sluice.tree;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MarkDecoder;
import io.sluice.messaging.FrameHandler;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.agrona.DirectBuffer;

/**
 * Passes on what servers broadcast, data and marks, byte for byte: each frame to the children that this node has in
 * the tree of the server that made it. Nothing behind the header is looked at. Where what is missing can be had
 * again, a frame is passed on when it is due: what has passed before is dropped, what comes ahead of others is put
 * off.
 *
 * <p>Used by one thread, which polls the inbox that this is the handler of, and calls {@link #flush}. Allocates nothing
 * after construction.
 */
public final class Relay implements FrameHandler {
    private final FrameRing[] rings;
    private final int longest;
    private final FrameHandler passed;
    private final Consumer<Rejection> reject;

    /** Null where whatever comes is passed on. */
    private final FrameOrder order;

    private final IntConsumer ahead;

    /**
     * Creates a relay.
     *
     * @param rings  by root, the links to this node's children in that tree; null where it has none
     * @param longest frame that is broadcast, in bytes: what is longer did not come from a server
     * @param passed sees each frame after it has been passed on; its answer is ignored
     * @param reject counts a frame of a root for which this node has no children, or that no server broadcasts
     */
    public Relay(FrameRing[] rings, int longest, FrameHandler passed, Consumer<Rejection> reject) {
        this(rings, longest, passed, reject, null, root -> {});
    }

    /**
     * Creates a relay that keeps to an order.
     *
     * @param rings  by root, the links to this node's children in that tree; null where it has none
     * @param longest frame that is broadcast, in bytes: what is longer did not come from a server
     * @param passed sees each frame after it has been passed on; its answer is ignored
     * @param reject counts a frame of a root for which this node has no children, or that no server broadcasts, or that
     *               has passed before
     * @param order  which frames are due
     * @param ahead  told of the root each time a frame of it is put off because others before it are missing
     */
    public Relay(
            FrameRing[] rings,
            int longest,
            FrameHandler passed,
            Consumer<Rejection> reject,
            FrameOrder order,
            IntConsumer ahead) {
        this.rings = rings.clone();
        this.order = order;
        this.ahead = ahead;
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
        if (null != order) {
            return inOrder(root, buffer, offset, length, templateId, session);
        }
        return pass(root, buffer, offset, length, templateId, session);
    }

    private Action inOrder(int root, DirectBuffer buffer, int offset, int length, int templateId, int session) {
        return switch (order.turn(root, buffer, offset, templateId)) {
            case PAST -> drop(Rejection.DUPLICATE);
            case UNKNOWN -> drop(Rejection.UNEXPECTED);
            case AHEAD -> {
                ahead.accept(root);
                yield Action.ABORT;
            }
            case NEXT -> {
                Action action = pass(root, buffer, offset, length, templateId, session);
                if (Action.CONTINUE == action) {
                    order.pass(root);
                }
                yield action;
            }
        };
    }

    private Action pass(int root, DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (!rings[root].pass(buffer, offset, length)) {
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
