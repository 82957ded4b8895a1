package io.sluice.consistency.worker;

/** Receives the measurements of each clock, on the thread that calls {@link Worker#clock()}. */
@FunctionalInterface
public interface ClockListener {
    /**
     * Handles the end of a clock.
     *
     * @param figures figures of this clock; the same object in each call, so a listener that keeps figures copies them
     */
    void onClock(ClockFigures figures);
}
