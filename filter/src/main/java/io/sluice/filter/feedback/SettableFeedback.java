package io.sluice.filter.feedback;

import io.sluice.filter.spi.NetworkFeedback;

/** A network as the thread that watches it last saw it. One thread or several set, others ask. */
public final class SettableFeedback implements NetworkFeedback {
    private volatile boolean sufficient = true;
    private volatile long bytesPerClock = NO_BUDGET;

    /** Sufficient and without a budget until set. */
    public SettableFeedback() {}

    /**
     * Says whether the links are up to what is sent.
     *
     * @param value true if so
     */
    public void sufficient(boolean value) {
        sufficient = value;
    }

    /**
     * Sets the budget of later clocks.
     *
     * @param bytes of the node and clock, 0 or more, or {@link #NO_BUDGET}
     * @throws IllegalArgumentException if it is something else
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
