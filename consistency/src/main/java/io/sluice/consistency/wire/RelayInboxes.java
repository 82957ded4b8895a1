package io.sluice.consistency.wire;

import io.sluice.codecs.Rejection;
import io.sluice.messaging.Inbox;
import java.util.function.IntFunction;

/**
 * The inboxes of a relay: one for each tree in which it forwards broadcasts, and one for frames that servers repeat.
 * Each can be closed separately, so that the sender of that tree detects that it has no reader.
 *
 * <p>Used by one thread; any thread may read the count.
 */
public final class RelayInboxes {
    private final Inboxes all;
    private final IntFunction<Inbox> opening;

    /** The inbox of each tree; null where this relay receives nothing now. */
    private final Inbox[] inboxes;

    /** Creates the inboxes, all closed. To poll them also polls the other inboxes of {@code all}. */
    RelayInboxes(Inboxes all, int trees, IntFunction<Inbox> opening) {
        this.all = all;
        this.opening = opening;
        this.inboxes = new Inbox[trees];
    }

    /**
     * Opens the inbox of a tree, if it is not open. Waits until the driver has opened it.
     *
     * @param tree number of the tree
     */
    public void open(int tree) {
        if (null == inboxes[tree]) {
            inboxes[tree] = opening.apply(tree);
            all.add(inboxes[tree]);
        }
    }

    /**
     * Closes the inbox of a tree; frames that were not polled are lost.
     *
     * @param tree number of the tree
     */
    public void close(int tree) {
        if (null != inboxes[tree]) {
            inboxes[tree].close();
            inboxes[tree] = null;
        }
    }

    /**
     * Hands waiting frames to the handler.
     *
     * @param limit maximum number of frames to take from each inbox
     * @return number of frames handed to the handler
     */
    public int poll(int limit) {
        return all.poll(limit);
    }

    /**
     * Counts a frame that the handler has rejected. For the handler.
     *
     * @param rejection the reason
     */
    public void reject(Rejection rejection) {
        all.reject(rejection);
    }

    /**
     * Number of dropped frames.
     *
     * @return frames, of any reason
     */
    public long rejected() {
        return all.rejected();
    }
}
