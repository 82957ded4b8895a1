package io.sluice.filter.feedback;

import io.sluice.filter.spi.NetworkFeedback;

/** The state of the network as last set by the thread that watches it. Any thread may set it or read it. */
public final class SettableFeedback implements NetworkFeedback {
    private volatile boolean sufficient = true;
    private volatile long bytesPerClock = NO_BUDGET;

    /** Creates a network that is sufficient and without a budget until set. */
    public SettableFeedback() {}

    /**
     * Sets whether the links carry what is sent.
     */
    public void setSufficient(boolean value) {
        sufficient = value;
    }

    /**
     * Sets the budget of later clocks.
     *
     * @param bytes bytes of the node and clock, 0 or more, or {@link #NO_BUDGET}
     * @throws IllegalArgumentException if it is another negative number
     */
    public void bytesPerClock(long bytes) {
        bytesPerClock = requireBudget(bytes);
    }

    @Override
    public boolean isSufficient() {
        return sufficient;
    }

    @Override
    public long bytesPerClock() {
        return bytesPerClock;
    }

    static long requireBudget(long bytes) {
        if (bytes < NO_BUDGET) {
            throw new IllegalArgumentException(
                    "bytes per clock is " + bytes + ", expected 0 or more, or " + NO_BUDGET + " for no budget");
        }
        return bytes;
    }
}
