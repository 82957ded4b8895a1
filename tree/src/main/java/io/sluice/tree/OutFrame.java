package io.sluice.tree;

import java.util.function.IntSupplier;
import org.agrona.DirectBuffer;

/**
 * One outgoing frame's memory, reused for every frame of its kind, such as each version of one slice.
 *
 * <p>The owner writes the frame while it {@link #isIdle()}, hands it to a {@link FanOut} and must not touch it again
 * until it is idle, that is until every link of the fan-out has taken it. So memory is bounded by construction: a
 * receiver that lags keeps the frame busy, and the next version of the slice waits.
 *
 * <p>Used by one thread.
 */
public final class OutFrame {
    private final DirectBuffer buffer;
    private final IntSupplier finish;
    private int length;
    private int awaiting;
    private long sinceNs;

    /**
     * Wraps the memory of a frame that is finished when it is handed over.
     *
     * @param buffer holds the frame from index 0
     */
    public OutFrame(DirectBuffer buffer) {
        this.buffer = buffer;
        this.finish = () -> length;
    }

    /**
     * Wraps the memory of a frame that is finished when it is sent, since its position in the order is known only then.
     *
     * @param buffer holds the frame from index 0
     * @param finish completes the frame and returns its length in bytes
     */
    public OutFrame(DirectBuffer buffer, IntSupplier finish) {
        this.buffer = buffer;
        this.finish = finish;
    }

    /**
     * Whether the owner may write the frame.
     *
     * @return true when no link still has to send it
     */
    public boolean isIdle() {
        return 0 == awaiting;
    }

    DirectBuffer buffer() {
        return buffer;
    }

    int length() {
        return length;
    }

    void length(int bytes) {
        if (isIdle()) {
            length = bytes;
        }
    }

    /** Marks the frame busy until it is finished. */
    void queued(long nowNs) {
        awaiting = 1;
        sinceNs = nowNs;
    }

    long sinceNs() {
        return sinceNs;
    }

    void finish(int links) {
        length = finish.getAsInt();
        awaiting = links;
    }

    void sent() {
        awaiting--;
    }
}
