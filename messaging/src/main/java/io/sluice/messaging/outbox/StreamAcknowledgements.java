package io.sluice.messaging.outbox;

import io.sluice.messaging.bandwidth.StreamPositions;

/** What the receiver of a UDP link has acknowledged, as the media driver's counters tell. For one thread. */
public final class StreamAcknowledgements implements Acknowledgements {
    /** A receiver reports when it has consumed this part of its window (Aeron 1.51). */
    private static final int REPORTS_IN_WINDOW = 4;

    private final StreamPositions positions;
    private long last;

    /**
     * Of one link.
     *
     * @param positions of its stream, from the time at which it was opened
     */
    public StreamAcknowledgements(StreamPositions positions) {
        this.positions = positions;
    }

    @Override
    public long acknowledged() {
        if (positions.refresh()) {
            last = Math.max(last, positions.acknowledged());
        }
        return last;
    }

    @Override
    public long unreported() {
        return positions.window() / REPORTS_IN_WINDOW;
    }
}
