package io.sluice.trials.chaos;

import io.sluice.trials.chaos.Disturbance.Kind;
import java.util.List;
import java.util.Random;

/**
 * A sequence of disturbances. It depends on the seed and the kinds only, not on the cluster: each disturbance draws the
 * same numbers from the generator, used or not.
 */
final class Schedule {
    private static final int LEAST_DELAY_MS = 200;
    private static final int DELAYS_MS = 1_500;
    private static final int LEAST_MS = 200;
    private static final int SHORT_MS = 1_500;
    /** One in this many disturbances lasts longer than the liveness time. */
    private static final int LONG = 4;

    private final Random random;
    private final List<Kind> kinds;
    private final int longMs;
    private final boolean briefly;

    /** A disturbance that could not be carried out yet; null for none. */
    private Disturbance deferred;

    /**
     * Starts a schedule.
     *
     * @param seed seed of all disturbances
     * @param kinds kinds to choose from
     * @param terms give the liveness time
     */
    Schedule(long seed, List<Kind> kinds, Terms terms) {
        this.random = new Random(seed);
        this.kinds = kinds;
        this.longMs = 2 * terms.livenessMs() + LEAST_MS;
        this.briefly = !terms.takesSnapshots();
    }

    /** The next disturbance. */
    Disturbance next() {
        Disturbance first = deferred;
        deferred = null;
        return first == null ? drawn() : first;
    }

    /** Puts a disturbance back that could not be carried out: it is the next one. */
    void defer(Disturbance disturbance) {
        deferred = disturbance;
    }

    private Disturbance drawn() {
        Kind kind = kinds.get(random.nextInt(kinds.size()));
        long delayMs = LEAST_DELAY_MS + random.nextInt(DELAYS_MS);
        double target = random.nextDouble();
        long shortMs = LEAST_MS + random.nextInt(SHORT_MS);
        boolean isLong = random.nextInt(LONG) == 0;
        return new Disturbance(kind, delayMs, target, lasting(kind, shortMs, isLong), random.nextLong());
    }

    /**
     * Without snapshots a lost node ends the job, which starts from the beginning and tests nothing: durations stay
     * short.
     */
    private long lasting(Kind kind, long shortMs, boolean isLong) {
        if (briefly) {
            return shortMs;
        }
        return Kind.CUT == kind ? spread(shortMs) : isLong ? longMs + shortMs : shortMs;
    }

    /**
     * A node that is cut off may be declared lost while it runs, so durations of cuts are spread evenly over the whole
     * range.
     */
    private long spread(long shortMs) {
        return LEAST_MS + (shortMs - LEAST_MS) * (longMs + SHORT_MS) / SHORT_MS;
    }
}
