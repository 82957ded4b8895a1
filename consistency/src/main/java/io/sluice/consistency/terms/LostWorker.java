package io.sluice.consistency.terms;

/**
 * A worker that was declared dead, and without which the cluster has continued.
 *
 * @param worker index of the worker
 * @param clock last clock of which the server had all pushes of the worker; -1 if the worker had not started
 */
public record LostWorker(int worker, long clock) {

    /**
     * Describes the loss.
     *
     * @return a clause, for example
     *     {@code worker 3 was lost; its pushes are complete up to clock 12; the others continued without it}
     */
    public String sentence() {
        String when = clock < 0 ? " before the start" : "; its pushes are complete up to clock " + clock;
        return "worker " + worker + " was lost" + when + "; the others continued without it";
    }
}
