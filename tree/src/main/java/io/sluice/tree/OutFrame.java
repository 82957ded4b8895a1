package io.sluice.tree;

import org.agrona.DirectBuffer;

/**
 * One outgoing frame's memory, reused for every frame of its kind (say, each version of one slice).
 *
 * <p>The owner writes the frame while {@link #isIdle()}, hands it to {@link FanOut#enqueue(OutFrame, int)} and must not
 * touch it again until it is idle, which it is once every link of the fan-out has taken it. So memory is bounded by
 * construction: a receiver that lags keeps the one frame busy, and the next version of the slice waits for it.
 *
 * <p>Used by one thread.
 */
public final class OutFrame {
    private final DirectBuffer buffer;
    private int length;
    private int awaiting;

    /**
     * Wraps the memory of the frame.
     *
     * @param buffer holds the frame from index 0
     */
    public OutFrame(DirectBuffer buffer) {
        this.buffer = buffer;
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

    void queued(int frameLength, int links) {
        length = frameLength;
        awaiting = links;
    }

    void sent() {
        awaiting--;
    }
}
