package io.sluice.messaging.outbox;

import io.sluice.messaging.bandwidth.StreamPositions;

/** The position that the receiver of a UDP link has acknowledged, from the media driver's counters. For one thread. */
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
     * @param largestWindow that a receiver has, in bytes. A late reader learns a window that is too large, and
     *                      acknowledgements that lag permanently: a larger window counts as such an error. A value that
     *                      is too small makes bytes in flight seem fewer, and does no harm
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
