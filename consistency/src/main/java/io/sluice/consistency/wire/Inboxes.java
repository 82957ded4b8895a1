package io.sluice.consistency.wire;

import io.sluice.codecs.Rejection;
import io.sluice.messaging.Inbox;
import java.util.Arrays;
import org.agrona.CloseHelper;

/**
 * All inboxes through which one kind of traffic reaches a node: one for shared memory, one for UDP, or both.
 *
 * <p>Polled by one thread; the count may be read by any. Polling allocates nothing.
 */
public final class Inboxes {
    private volatile Inbox[] inboxes = new Inbox[0];
    private int polled;

    Inboxes() {}

    /** Adds an inbox. Call this only between polls. */
    void add(Inbox inbox) {
        Inbox[] more = Arrays.copyOf(inboxes, inboxes.length + 1);
        more[more.length - 1] = inbox;
        inboxes = more;
    }

    /**
     * Hands waiting frames to the handler.
     *
     * @param limit maximum number of frames to take from each inbox
     * @return number of frames handed to the handler
     */
    public int poll(int limit) {
        int work = 0;
        for (polled = 0; polled < inboxes.length; polled++) {
            work += inboxes[polled].poll(limit);
        }
        return work;
    }

    /** Stops receiving. Closing twice is harmless. */
    public void close() {
        CloseHelper.closeAll(inboxes);
    }

    /**
     * Counts a frame that the handler has rejected, at the inbox that received it. For the handler.
     *
     * @param rejection the reason
     */
    public void reject(Rejection rejection) {
        inboxes[polled].reject(rejection);
    }

    /**
     * Number of frames dropped by the inboxes or by the handler.
     *
     * @return frames, of any reason
     */
    public long rejected() {
        long total = 0;
        for (Inbox inbox : inboxes) {
            total += inbox.rejections().total();
        }
        return total;
    }
}
