package io.sluice.messaging.outbox;

import io.sluice.messaging.bandwidth.StreamPositions;

/** The position that the receiver of a UDP link has acknowledged, from the media driver's counters. For one thread. */
public final class StreamAcknowledgements implements Acknowledgements {
    /**
     * Number of reports that a receiver sends for each window: it reports when it has consumed a quarter of the window
     * (Aeron 1.51).
     */
    private static final int REPORTS_IN_WINDOW = 4;

    private final StreamPositions positions;
    private final long largestWindow;
    private long last;

    /**
     * Creates the acknowledgements of one link.
     *
     * @param positions     positions of its stream, since the link was opened
     * @param largestWindow largest window of a receiver, in bytes. A late reader computes too large a window and
     *                      acknowledgements that lag permanently, so a window above this limit counts as such an error.
     *                      Too small a limit underestimates the bytes in flight, which is harmless
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
