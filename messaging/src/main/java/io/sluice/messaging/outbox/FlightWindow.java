package io.sluice.messaging.outbox;

/**
 * Closes a link while too many of its bytes are in flight, so that a path that delivers less than its nominal rate is
 * not flooded (Boesen, section 3.3.1). Frames that wait for the window can still be overtaken or merged.
 *
 * <p>Over UDP a receiver reports only after it has consumed a quarter of its window since its last report (Aeron 1.51).
 * A limit below that quarter plus two frames would stop the link forever, so a lower limit is raised to that sum.
 *
 * <p>For one thread. Allocates nothing.
 */
public final class FlightWindow {
    private final Acknowledgements acknowledgements;
    private final long limit;

    /**
     * Creates a window.
     *
     * @param acknowledgements acknowledgements of the link
     * @param limit bytes that may be in flight, 1 or more
     */
    public FlightWindow(Acknowledgements acknowledgements, long limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("in-flight window is " + limit + " bytes, expected 1 or more");
        }
        this.acknowledgements = acknowledgements;
        this.limit = limit;
    }

    /**
     * Whether a frame may be sent. A frame that is longer than the window may be sent when no byte is in flight.
     *
     * @param sent  position after the last frame that the link has accepted
     * @param bytes bytes of the frame
     * @return true if the window is open for it
     */
    public boolean admits(long sent, int bytes) {
        long flying = sent - acknowledgements.acknowledged();
        return flying <= 0 || flying + bytes <= limit || flying + bytes <= leastLimit(bytes);
    }

    private long leastLimit(int bytes) {
        long unreported = acknowledgements.unreported();
        return unreported == 0 ? 0 : unreported + 2L * bytes;
    }
}
