package io.sluice.consistency.spi;

import java.lang.foreign.MemorySegment;

/**
 * How a server turns the pushes of a table into the change of its parameters, which the server broadcasts. The rule
 * {@code sum} takes the pushes as the change; {@code adagrad}, {@code momentum} and others scale them with state from
 * earlier pushes.
 *
 * <p>Under every rule a push is a step downhill: the trainer of a loss pushes the negative gradient, and the change is
 * added to the parameters.
 *
 * <p>A rule has no mutable fields. What it remembers is the {@linkplain Slice#state state} of each parameter, which the
 * server saves in snapshots and hands over with the slice. Servers do not apply rules to round 0, which carries the
 * first values of the parameters. For the server's thread; {@link #apply} must not allocate, and its result must depend
 * only on the {@link Slice}, so that all runs are equal bit for bit.
 */
public interface UpdateRule {
    /**
     * The state of each parameter.
     *
     * @return number of floats, 0 or more; each begins at 0
     */
    default int stateFloats() {
        return 0;
    }

    /**
     * Whether the rule is applied to each push by itself, in the order of the sums. Otherwise it is applied once a
     * round to the sum of the pushes, also if there are none unless it {@linkplain #needsPush needs a push}.
     *
     * @return false by default
     */
    default boolean isForEachPush() {
        return false;
    }

    /**
     * Whether a rule that applies once in each round leaves a slice unchanged if no worker has pushed a part of the
     * slice in that round.
     *
     * @return false by default: such a round is a sum of 0
     */
    default boolean needsPush() {
        return false;
    }

    /**
     * Whether the rule revises its steps by {@linkplain Slice#missed what the worker lacked}. Only for rules for
     * each push. The server then keeps the sum of all pushes and its value at each version on which workers may still
     * compute, and pushes must be exact: filter {@code none}, and values that are not rounded.
     *
     * @return false by default
     */
    default boolean revises() {
        return false;
    }

    /**
     * Whether a push counts with the weight that its worker has set ({@code Worker.weigh}). Only for rules that are
     * applied once a round: to the weighted sum of the pushes, and not at all to a slice that no worker has pushed in
     * the round. A push counts for a slice even if the worker's filter withholds all values of the slice. Needs an
     * ordered consistency rule.
     *
     * @return false by default
     */
    default boolean weighs() {
        return false;
    }

    /**
     * Replaces the pushed values of a slice by the change of its parameters, and updates the state.
     *
     * @param slice slice, valid during the call
     */
    void apply(Slice slice);

    /** A slice whose parameters change. All segments hold {@link #elements} floats in native byte order. */
    interface Slice {
        /** Number of parameters. */
        int elements();

        /**
         * The pushed values, which {@link UpdateRule#apply} overwrites with the change. If the rule {@linkplain
         * UpdateRule#weighs weighs}, each push has been multiplied by its weight, in f32.
         */
        MemorySegment pushed();

        /**
         * One of the floats of each parameter's state.
         *
         * @param index from 0 to {@link UpdateRule#stateFloats} - 1
         */
        MemorySegment state(int index);

        /**
         * The sum of the pushes that the server has received and that the pushing worker lacked when it computed:
         * those of other workers and, with a staleness bound, its own.
         *
         * @throws UnsupportedOperationException if the rule does not {@linkplain UpdateRule#revises revise}
         */
        MemorySegment missed();

        /** The round, from 1. */
        long round();

        /** Number of workers of the round; one that has died still counts. */
        int workers();

        /**
         * Sum of the weights of the pushes in {@link #pushed}, 1 or more; the number of workers if the rule does not
         * {@linkplain UpdateRule#weighs weigh}.
         */
        long weight();
    }
}
