package io.sluice.consistency.membership;

/**
 * A worker that was taken for dead, and without which the cluster went on.
 *
 * @param worker its index
 * @param clock  the last of which a server had all that it pushed; -1 if it had not started
 */
public record LostWorker(int worker, long clock) {

    /**
     * The end of a sentence.
     *
     * @return for example {@code worker 3 was lost; what it pushed is whole up to clock 12; the others went on
     *     without it}
     */
    public String sentence() {
        String when = clock < 0 ? " before the start" : "; what it pushed is whole up to clock " + clock;
        return "worker " + worker + " was lost" + when + "; the others went on without it";
    }
}
