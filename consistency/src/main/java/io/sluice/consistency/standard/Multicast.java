package io.sluice.consistency.standard;

import io.sluice.codecs.spi.PolicySpec;
import io.sluice.filter.kernel.Draws;
import java.util.Arrays;

/**
 * Which other workers get the vectors of a clock under protocol peer, and what keeps the replicas near each other where
 * not all do: {@code all}, or {@code random:Q}, {@code fixed:Q} or {@code round-robin:Q} of the P - 1 others, with
 * options.
 *
 * <p>The schedule is a function of seed, clock and worker, so it is the same in each run. Immutable.
 */
public final class Multicast {
    /** The multicast that reaches every worker. */
    public static final String ALL = "all";

    private static final String RANDOM = "random";
    private static final String FIXED = "fixed";
    private static final String ROUND_ROBIN = "round-robin";
    private static final String FORM = "all, random:Q, fixed:Q or round-robin:Q, where Q counts workers, with the"
            + " options ;sync=CLOCKS, ;at-once, ;rotate=CLOCKS, ;seed=S, ;unscaled, ;lossless and ;broken=PERCENT";
    private static final int MOST = 65_535;
    private static final int PERCENT = 100;
    private static final int NO_SEED = -1;

    /**
     * Offset into a clock's random draws. Draws from this offset on decide which chosen pairs are broken; lower draws
     * choose receivers.
     */
    private static final int BREAKS = 1 << 20;

    private final PolicySpec spec;
    private final String word;
    private final int given;
    private final int workers;
    private final int seed;
    private final int sync;
    private final int rotate;
    private final int broken;
    private final boolean atOnce;
    private final boolean lossless;
    private final boolean unscaled;

    private Multicast(PolicySpec spec, String word, int given, int workers) {
        this.spec = spec;
        this.word = word;
        this.given = given;
        this.workers = workers;
        this.seed = spec.option("seed", 0, NO_SEED);
        this.sync = spec.option("sync", 1, 0);
        // at least 2: with 1, slices of the next replica would arrive while those of the previous one are in flight
        this.rotate = spec.option("rotate", 2, 0);
        this.broken = spec.option("broken", 1, 0);
        this.atOnce = spec.flag("at-once");
        this.lossless = spec.flag("lossless");
        this.unscaled = spec.flag("unscaled");
    }

    /**
     * Reads a multicast.
     *
     * @param text such as {@code random:4;sync=64;rotate=16}
     * @return the multicast, for any number of workers
     * @throws IllegalArgumentException naming the part at fault
     */
    public static Multicast named(String text) {
        PolicySpec spec = new PolicySpec("multicast", text, FORM);
        String word = PolicySpec.nameIn(text);
        if (ALL.equals(word)) {
            spec.requireArguments(0).allowOptions("broken", "sync", "at-once", "rotate", "seed");
            return new Multicast(spec, word, MOST, 0).checked();
        }
        if (!RANDOM.equals(word) && !FIXED.equals(word) && !ROUND_ROBIN.equals(word)) {
            throw spec.refusal("'" + word + "' names no schedule");
        }
        spec.requireArguments(1).allowOptions("sync", "at-once", "rotate", "seed", "unscaled", "lossless", "broken");
        return new Multicast(spec, word, spec.whole(0, 1, MOST), 0).checked();
    }

    private Multicast checked() {
        if (broken >= PERCENT) {
            throw spec.refusal("option broken is " + broken + ", which is not a percentage below " + PERCENT);
        }
        if (lossless && (sync > 0 || rotate > 0 || broken > 0 || unscaled)) {
            throw spec.refusal("lossless excludes the options sync, rotate, broken and unscaled");
        }
        if (atOnce && 0 == sync) {
            throw spec.refusal("at-once needs the option sync");
        }
        if (atOnce && 1 == sync) {
            throw spec.refusal("sync is 1, so at-once has no effect: each clock averages everything");
        }
        if (rotate > 0 && 0 == sync) {
            throw spec.refusal("rotate needs the option sync");
        }
        if (rotate > 0 && rotate % sync == 0) {
            throw spec.refusal("rotate is " + rotate + ", a multiple of sync, " + sync
                    + ": each rotation would follow an averaging, which makes it useless");
        }
        return this;
    }

    /**
     * The same multicast for a number of workers.
     *
     * @param count workers, 1 or more
     * @return the multicast
     * @throws IllegalArgumentException if there are fewer others than are to be reached, if replicas would drift apart
     *     without bound, or if an option would have no effect
     */
    public Multicast among(int count) {
        if (given > count - 1 && !ALL.equals(word)) {
            throw spec.refusal("Q is " + given + ", expected 1 to the " + (count - 1) + " other workers");
        }
        Multicast own = new Multicast(spec, word, Math.min(given, count - 1), count);
        if (own.isPartial() && !lossless && 0 == own.sync) {
            throw spec.refusal("of " + count + " workers some miss vectors, so it needs the option sync or lossless");
        }
        if (!own.isPartial() && (own.sync > 0 || lossless)) {
            throw spec.refusal("each of " + count + " workers gets all vectors, so sync and lossless have no effect");
        }
        if (seed != NO_SEED && !own.draws()) {
            throw spec.refusal(
                    "of " + count + " workers all have the same receivers with any seed, so seed has no effect");
        }
        if (unscaled && given == count - 1) {
            throw spec.refusal("each of " + count + " workers is sent all vectors, so unscaled has no effect");
        }
        return own;
    }

    /** Whether receivers are drawn at random, so that a seed has an effect. */
    public boolean draws() {
        return broken > 0 || RANDOM.equals(word) && given < workers - 1;
    }

    /** The text. */
    public String text() {
        return spec.text();
    }

    /** Whether some workers do not get the vectors of a clock in that clock. */
    public boolean isPartial() {
        return given < workers - 1 || broken > 0;
    }

    /** Whether vectors wait until their receiver is chosen. */
    public boolean isLossless() {
        return lossless;
    }

    /**
     * The number of clocks whose vectors a worker may be sent at once, after which it is chosen in any case: twice the
     * mean number of clocks between two choices.
     *
     * @return 1 if vectors do not wait
     */
    public int depth() {
        return lossless ? Math.ceilDiv(2 * (workers - 1), given) : 1;
    }

    /** The factor of vectors that are sent: it makes up for the workers that do not get them. */
    public float scale() {
        boolean scales = given < workers - 1 && !lossless && !unscaled;
        return scales ? (float) (workers - 1) / given : 1;
    }

    /** Clocks between two averagings of a slice; 0 for none. */
    public int sync() {
        return sync;
    }

    /**
     * The first slice that is averaged in a clock. All slices are averaged in the clocks that {@link #sync} divides, or
     * each clock has its share of them.
     *
     * @param clock  the clock, from 1
     * @param slices number of slices
     */
    public int firstAveraged(long clock, int slices) {
        if (atOnce) {
            return clock % sync == 0 ? 0 : slices;
        }
        return (int) (clock % sync * slices / sync);
    }

    /** The slice after the last one that is averaged in a clock. */
    public int endAveraged(long clock, int slices) {
        return atOnce ? slices : (int) ((clock % sync + 1) * slices / sync);
    }

    /** Whether replicas rotate in any clock. */
    public boolean rotates() {
        return rotate > 0;
    }

    /** Whether each worker gets the replica of the worker before it in a clock. */
    public boolean rotates(long clock) {
        return rotate > 0 && clock % rotate == 0 && clock % sync != 0;
    }

    /**
     * Marks the workers to which a worker sends its vectors of a clock.
     *
     * @param worker the sender
     * @param clock  the clock
     * @param table  number that all workers use for the table
     * @param chosen receives true for each of them, by worker
     * @param order  scratch memory for one number for each worker
     */
    public void choose(int worker, long clock, int table, boolean[] chosen, int[] order) {
        Arrays.fill(chosen, false);
        int others = workers - 1;
        long key = Draws.mix(Draws.mix(Draws.mix(Math.max(0, seed), table), worker), clock);
        for (int i = 0; i < others; i++) {
            order[i] = (worker + 1 + i) % workers;
        }
        long first = ROUND_ROBIN.equals(word) && others > 0 ? clock * given % others : 0;
        for (int i = 0; i < given; i++) {
            int at = (int) ((first + i) % others);
            if (RANDOM.equals(word)) {
                at = i + (int) (FloatRows.uniform(key, i) * (others - i)); // Fisher and Yates
                int swapped = order[i];
                order[i] = order[at];
                order[at] = swapped;
                at = i;
            }
            chosen[order[at]] = broken == 0 || FloatRows.uniform(key, BREAKS + order[at]) * PERCENT >= broken;
        }
    }
}
