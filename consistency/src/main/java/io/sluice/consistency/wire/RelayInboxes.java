package io.sluice.consistency.wire;

import io.sluice.codecs.Rejection;
import io.sluice.messaging.Inbox;
import java.util.function.IntFunction;

/**
 * Through which inboxes broadcasts reach a relay: one for each tree in which it passes them on, and one for what
 * servers send again. Each can be closed by itself, so that the sender of that tree sees that it has no reader.
 *
 * <p>Used by one thread; the count may be read by any.
 */
public final class RelayInboxes {
    private final Inboxes all;
    private final IntFunction<Inbox> opening;

    /** By tree; null where this relay receives nothing now. */
    private final Inbox[] inboxes;

    /** Polls the other inboxes of {@code all}, too. */
    RelayInboxes(Inboxes all, int trees, IntFunction<Inbox> opening) {
        this.all = all;
        this.opening = opening;
        this.inboxes = new Inbox[trees];
    }

    /**
     * Receives what comes by a tree from now on; if it does so already, nothing happens. Waits until the driver has
     * opened the inbox.
     *
     * @param tree its number
     */
    public void open(int tree) {
        if (null == inboxes[tree]) {
            inboxes[tree] = opening.apply(tree);
            all.add(inboxes[tree]);
        }
    }

    /**
     * Receives nothing by a tree any more, what has come and was not polled included.
     *
     * @param tree its number
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
     * @param limit most frames to take from each inbox
     * @return frames taken
     */
    public int poll(int limit) {
        return all.poll(limit);
    }

    /**
     * Counts a frame that the handler found wrong. To be called by the handler.
     *
     * @param rejection the reason
     */
    public void reject(Rejection rejection) {
        all.reject(rejection);
    }

    /**
     * Frames dropped so far.
     *
     * @return frames, of any reason
     */
    public long rejected() {
        return all.rejected();
    }
}
