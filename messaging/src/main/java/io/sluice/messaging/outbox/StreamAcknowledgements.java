package io.sluice.messaging.outbox;

import io.sluice.messaging.bandwidth.StreamPositions;

/** What the receiver of a UDP link has acknowledged, as the media driver's counters tell. For one thread. */
public final class StreamAcknowledgements implements Acknowledgements {
    /** A receiver reports when it has consumed this part of its window (Aeron 1.51). */
    private static final int REPORTS_IN_WINDOW = 4;

    private final StreamPositions positions;
    private final long largestWindow;
    private long last;

    /**
     * Of one link.
     *
     * @param positions     of its stream, from the time at which it was opened
     * @param largestWindow that a receiver has, in bytes. Who looks late learns a window that is too large, and with it
     *                      acknowledgements that lag for ever: what is above this is taken for such an error. Too small
     *                      a value makes bytes in flight seem fewer, and stops nothing
     */
    public StreamAcknowledgements(StreamPositions positions, long largestWindow) {
        this.positions = positions;
        this.largestWindow = largestWindow;
    }

    @Override
    public long acknowledged() {
        if (positions.refresh()) {
            long excess = Math.max(0, positions.window() - largestWindow);
            last = Math.max(last, positions.acknowledged() + excess);
        }
        return last;
    }

    @Override
    public long unreported() {
        return positions.window() / REPORTS_IN_WINDOW;
    }
}
