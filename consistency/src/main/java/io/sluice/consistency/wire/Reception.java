package io.sluice.consistency.wire;

import io.sluice.codecs.Rejection;
import io.sluice.codecs.RejectionCounts;
import io.sluice.messaging.Inbox;
import java.util.List;

/**
 * All inboxes through which one kind of traffic reaches a node: one for shared memory, one for UDP, or both.
 *
 * <p>Polled by one thread; the count may be read by any. Allocates nothing.
 */
public final class Reception {
    private final Inbox[] inboxes;
    private final RejectionCounts rejections = new RejectionCounts();

    Reception(List<Inbox> inboxes) {
        this.inboxes = inboxes.toArray(Inbox[]::new);
    }

    /**
     * Hands waiting frames to the handler.
     *
     * @param limit most frames to take from each inbox
     * @return frames taken
     */
    public int poll(int limit) {
        int work = 0;
        for (Inbox inbox : inboxes) {
            work += inbox.poll(limit);
        }
        return work;
    }

    /**
     * Counts a frame that the handler found wrong.
     *
     * @param rejection the reason
     */
    public void reject(Rejection rejection) {
        rejections.increment(rejection);
    }

    /**
     * Frames dropped so far, by the inboxes or by the handler.
     *
     * @return frames, of any reason
     */
    public long rejected() {
        long total = rejections.total();
        for (Inbox inbox : inboxes) {
            total += inbox.rejections().total();
        }
        return total;
    }
}
