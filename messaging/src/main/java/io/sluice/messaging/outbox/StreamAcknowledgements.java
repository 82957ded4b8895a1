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
     * Creates the acknowledgements of one link.
     *
     * @param positions     positions of its stream, since the link was opened
     * @param largestWindow largest window of a receiver, in bytes. A late reader computes a window that is too large,
     *                      and acknowledgements that lag permanently, so a larger window counts as such an error. A
     *                      value that is too small underestimates the bytes in flight, which is harmless
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
