package io.sluice.perf.repair;

/** Determines the last clock of workers that train at different paces: one that no worker has passed. */
final class LastClock {
    private long most;
    private long last = Long.MAX_VALUE;

    /**
     * Whether a worker trains another clock.
     *
     * @param clock clock that it would train
     */
    synchronized boolean mayTrain(long clock) {
        if (clock > last) {
            return false;
        }
        most = Math.max(most, clock);
        return true;
    }

    /** Sets the end: no worker begins a clock that no other worker has begun. */
    synchronized void end() {
        last = Math.min(last, most);
    }
}
