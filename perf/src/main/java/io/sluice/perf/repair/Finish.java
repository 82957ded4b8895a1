package io.sluice.perf.repair;

/** After which clock workers end that train at paces of their own: one that none of them is beyond. */
final class Finish {
    private long most;
    private long last = Long.MAX_VALUE;

    /**
     * Whether a worker trains on.
     *
     * @param clock that it would train
     */
    synchronized boolean mayTrain(long clock) {
        if (clock > last) {
            return false;
        }
        most = Math.max(most, clock);
        return true;
    }

    /** No worker begins a clock that none has begun so far. */
    synchronized void end() {
        last = Math.min(last, most);
    }
}
