package io.sluice.trials.chaos;

import io.sluice.trials.chaos.Disturbance.Kind;
import java.util.List;
import java.util.Random;

/**
 * What is done to a cluster, one thing after the other: the same for the same seed and kinds, whatever the cluster
 * makes of it. Each takes the same numbers from the generator, used or not.
 */
final class Schedule {
    private static final int LEAST_DELAY_MS = 200;
    private static final int DELAYS_MS = 1_500;
    private static final int LEAST_MS = 200;
    private static final int SHORT_MS = 1_500;
    /** One in so many is longer than any node may be silent. */
    private static final int LONG = 4;

    private final Random random;
    private final List<Kind> kinds;
    private final int longMs;
    private final boolean briefly;

    /** What could not be done when its time came; null if there is nothing. */
    private Disturbance deferred;

    /**
     * From the start.
     *
     * @param seed of all that follows
     * @param kinds what may come
     * @param terms say how long nodes may be silent
     */
    Schedule(long seed, List<Kind> kinds, Terms terms) {
        this.random = new Random(seed);
        this.kinds = kinds;
        this.longMs = 2 * terms.livenessMs() + LEAST_MS;
        this.briefly = !terms.takesSnapshots();
    }

    /** The next. */
    Disturbance next() {
        Disturbance first = deferred;
        deferred = null;
        return first == null ? drawn() : first;
    }

    /** What was next has found nobody to be done to: it is what comes next. */
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

    /** Without snapshots who is taken for dead ends the job: it begins anew, without anything tried. */
    private long lasting(Kind kind, long shortMs, boolean isLong) {
        if (briefly) {
            return shortMs;
        }
        return Kind.CUT == kind ? spread(shortMs) : isLong ? longMs + shortMs : shortMs;
    }

    /** Who is cut off may be taken for dead and yet live, so cuts are of all lengths, evenly. */
    private long spread(long shortMs) {
        return LEAST_MS + (shortMs - LEAST_MS) * (longMs + SHORT_MS) / SHORT_MS;
    }
}
