package io.sluice.tree;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.messaging.FrameHandler;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.agrona.DirectBuffer;

/**
 * Forwards the servers' broadcasts, data and round commits, byte for byte: each frame to the node's children in the
 * tree of the frame. It reads headers only. If missing frames can be requested, it forwards frames in order: it drops
 * repeated frames and defers frames that arrive early.
 *
 * <p>Used by one thread, which polls the inbox with this handler and calls {@link #flush}. Allocates nothing
 * after construction.
 */
public final class Relay implements FrameHandler {
    private final FrameRing[] rings;
    private final RouteTable routes;
    private final int longest;
    private final FrameHandler passed;
    private final Consumer<Rejection> reject;

    /** Tracks which frames are due; null if frames are forwarded in the order of arrival. */
    private final FrameOrder order;

    private final IntConsumer ahead;

    /**
     * Creates a relay.
     *
     * @param rings   rings by tree, the links to this node's children in it; null where it has none
     * @param routes  finds the tree that carries a frame
     * @param longest length of the longest frame that servers broadcast, in bytes; longer frames are refused
     * @param passed  receives each frame after the relay has forwarded it; its result is ignored
     * @param reject  counts a frame of a tree in which this node has no children, or that no server broadcasts
     */
    public Relay(FrameRing[] rings, RouteTable routes, int longest, FrameHandler passed, Consumer<Rejection> reject) {
        this(rings, routes, longest, passed, reject, null, tree -> {});
    }

    /**
     * Creates a relay that keeps to an order.
     *
     * @param rings   rings by tree, the links to this node's children in it; null where it has none
     * @param routes  finds the tree that carries a frame
     * @param longest length of the longest frame that servers broadcast, in bytes; longer frames are refused
     * @param passed  receives each frame after the relay has forwarded it; its result is ignored
     * @param reject  counts a frame of a tree in which this node has no children, or that no server broadcasts, or that
     *                the relay has already forwarded
     * @param order   tracks which frames are due
     * @param ahead   called with the tree each time one of its frames is deferred because earlier ones are missing
     */
    public Relay(
            FrameRing[] rings,
            RouteTable routes,
            int longest,
            FrameHandler passed,
            Consumer<Rejection> reject,
            FrameOrder order,
            IntConsumer ahead) {
        this.rings = rings.clone();
        this.routes = routes;
        this.order = order;
        this.ahead = ahead;
        this.longest = longest;
        this.passed = passed;
        this.reject = reject;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (DataDecoder.TEMPLATE_ID != templateId && RoundCommitDecoder.TEMPLATE_ID != templateId) {
            return drop(Rejection.UNEXPECTED);
        }
        int tree = routes.tree(Frame.origin(buffer, offset), buffer, offset, templateId);
        if (RouteTable.NONE == tree || null == rings[tree]) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        if (length > longest) {
            return drop(Rejection.BAD_LENGTH);
        }
        if (null != order) {
            return inOrder(tree, buffer, offset, length, templateId, session);
        }
        return pass(tree, buffer, offset, length, templateId, session);
    }

    private Action inOrder(int tree, DirectBuffer buffer, int offset, int length, int templateId, int session) {
        return switch (order.turn(tree, buffer, offset, templateId)) {
            case PAST -> drop(Rejection.DUPLICATE);
            case UNKNOWN -> drop(Rejection.UNEXPECTED);
            case AHEAD -> {
                ahead.accept(tree);
                yield Action.ABORT;
            }
            case NEXT -> {
                Action action = pass(tree, buffer, offset, length, templateId, session);
                if (Action.CONTINUE == action) {
                    order.pass(tree);
                }
                yield action;
            }
        };
    }

    private Action pass(int tree, DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (!rings[tree].pass(buffer, offset, length)) {
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
     * Offers frames to links that are behind, and observes all links. Call it in every duty cycle.
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
     * Whether all frames of a tree were relayed to all children that are still connected.
     *
     * @param tree number of the tree
     * @return true if frames wait only for receivers that have ended
     */
    public boolean isSettled(int tree) {
        return null == rings[tree] || rings[tree].isSettled();
    }

    /**
     * Whether any child is connected in a tree.
     *
     * @param tree number of the tree
     * @return true if some link is connected
     */
    public boolean isConnected(int tree) {
        return null != rings[tree] && rings[tree].isConnected();
    }
}
