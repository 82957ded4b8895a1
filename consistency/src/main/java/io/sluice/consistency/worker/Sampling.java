package io.sluice.consistency.worker;

import io.sluice.consistency.terms.WorkerSet;
import io.sluice.filter.kernel.Draws;

/**
 * Which workers take local steps in a clock: all of them, or some that are drawn. The draw depends on the seed, the
 * clock and the worker set of the clock alone.
 *
 * <p>For the thread that owns the worker. Allocates nothing.
 */
final class Sampling {
    private static final int ALL = Integer.MAX_VALUE;
    private static final long NONE = -1;

    private final Worker worker;
    private final int count;
    private final long seed;

    /** The clock for which {@link #isDrawn} has been determined. */
    private long clock = NONE;

    private boolean isDrawn;

    private Sampling(Worker worker, int count, long seed) {
        this.worker = worker;
        this.count = count;
        this.seed = seed;
    }

    /** Lets all workers take steps. */
    static Sampling ofAll(Worker worker) {
        return new Sampling(worker, ALL, 0);
    }

    /** Draws a number of workers for each clock. */
    static Sampling of(Worker worker, int count, long seed) {
        if (count < 1) {
            throw new IllegalArgumentException(
                    "the number of workers sampled for each clock is " + count + ", expected 1 or more");
        }
        Sampling some = new Sampling(worker, count, seed);
        StepTerms.requireHolds(worker.settings(), some.inWords());
        return some;
    }

    /** Refuses a delay, which a worker that is not drawn cannot take. */
    void requireNoDelay(int delay) {
        if (ALL != count && delay > 0) {
            throw new IllegalArgumentException(inWords() + ", and workers use new parameters " + delay
                    + " steps after a push, expected 0 steps: a worker that is not drawn takes no steps");
        }
    }

    private String inWords() {
        return "the workers of each clock are sampled (" + count + ")";
    }

    /** Whether this worker is drawn for the open clock, as one that leaves always is for its last. */
    boolean isDrawn() {
        long open = worker.completed() + 1;
        if (clock != open) {
            worker.requirePart();
            clock = open;
            WorkerSet set = worker.workerSet();
            isDrawn = ALL == count
                    || worker.lastClock() == open
                    || isDrawn(seed, open, count, set.size(), set.rank(worker.index()));
        }
        return isDrawn;
    }

    /** Requires that this worker is drawn for the open clock, or that it is not. */
    void require(boolean drawn, String call) {
        if (isDrawn() != drawn) {
            throw new IllegalStateException(
                    call + " is called by worker " + worker.index() + ", which is " + (drawn ? "not " : "")
                            + "drawn for clock " + clock + ", expected " + (drawn ? "skip()" : "steps"));
        }
    }

    /**
     * Draws some of the workers of a clock, each set of them with equal chances (Knuth, algorithm 3.4.2 S).
     *
     * @param count number to draw
     * @param size number of workers
     * @param rank rank of a worker among them
     * @return whether that worker is drawn
     */
    static boolean isDrawn(long seed, long clock, int count, int size, int rank) {
        long key = Draws.mix(Draws.mix(0, seed), clock);
        int left = count;
        boolean drawn = false;
        for (int i = 0; i <= rank; i++) {
            drawn = Math.unsignedMultiplyHigh(Draws.mix(key, i), size - i) < left;
            left -= drawn ? 1 : 0;
        }
        return drawn;
    }
}
