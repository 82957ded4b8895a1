package io.sluice.consistency.spi;

/**
 * How far workers may run apart. One rule serves both sides: it determines which version a worker needs before it
 * computes, and whether a slice's round is complete at a server.
 *
 * <p>Implementations are stateless and may be called by any thread; no method may throw. Each must keep two promises: a
 * round is never finalised twice with different input, and once every worker has pushed the same number of rounds, all
 * those rounds can be finalised.
 */
public interface ConsistencyRule {

    /**
     * Version of the parameters that a worker needs before it computes its next iteration.
     *
     * @param clock iterations that the worker has completed, from 0
     * @return lowest sufficient version, from 0
     */
    long requiredVersion(long clock);

    /**
     * Version that a worker needs before it computes its next iteration, for rules that depend on how fast workers are.
     * Called once per clock, with measurements of the worker. Servers conclude from a push that its worker had the
     * version of {@link #requiredVersion(long)}, the lowest that this method may return.
     *
     * @param clock          iterations that the worker has completed, from 0
     * @param version        version that it has
     * @param ownSeconds     seconds of its last clock without waits; 0 if there is none yet
     * @param slowestSeconds seconds between its last two versions, which is a clock of the slowest worker; 0 if there
     *                       are none yet
     * @param sinceSeconds   seconds since its last version arrived, or since it began if there is none
     * @return lowest sufficient version; the worker takes the nearest from {@link #requiredVersion(long)} to
     *     {@code clock}
     */
    default long requiredVersion(
            long clock, long version, double ownSeconds, double slowestSeconds, double sinceSeconds) {
        return requiredVersion(clock);
    }

    /**
     * Whether a worker may withhold the update of a table. The worker then calls {@link #pushes} in each clock. Such a
     * rule must be ordered, because the overlay of {@link #ownRoundsAhead own rounds} has only what was pushed.
     *
     * @return false if the filter gets every update
     */
    default boolean withholds() {
        return false;
    }

    /**
     * Whether a worker pushes the update of a table. Otherwise it sends only the round commit, and the update stays in
     * the residual. The answer must depend on the arguments alone.
     *
     * @param round    the round to push, from 1
     * @param residual 2-norm of the residual with the update of the round
     * @param replica  2-norm of the table's parameters
     * @return true to push
     */
    default boolean pushes(long round, double residual, double replica) {
        return true;
    }

    /**
     * Whether a server may finalise a slice's round.
     *
     * @param round  the round to finalise, one more than the slice's version
     * @param clocks the last round that each worker has pushed, per slice
     * @param slice  the slice
     * @return true if the sum in its present state may become version {@code round}
     */
    boolean mayFinalise(long round, Clocks clocks, int slice);

    /**
     * Highest round that a worker may have pushed while its servers are at a version; a push beyond it is a breach of
     * the rule.
     *
     * @param version version that the servers have finalised
     * @return the last admissible round
     */
    long latestRound(long version);

    /**
     * Whether pushes of one round are summed in worker order, which makes the sum equal bit for bit in every run. Such
     * a rule must allow no staleness: a worker needs version c at clock c, and may push round c + 1 only.
     *
     * @return true if the server has to keep that order
     */
    default boolean ordered() {
        return false;
    }

    /**
     * Whether a version needs a push from every worker, so that no version follows the last push of a worker that
     * leaves.
     *
     * @return false if versions count the pushes of any workers
     */
    default boolean isBounded() {
        return true;
    }

    /**
     * The number of workers without whose pushes a version may be finalised; the first version needs all pushes.
     *
     * @return 0 if every push is needed
     */
    default int backups() {
        return 0;
    }

    /**
     * The number of a worker's own rounds that may be under way when it pushes the next round, for reads that include
     * them: the staleness bound plus 1.
     *
     * @return 0 if a worker waits until all its rounds have returned
     */
    default int ownRoundsAhead() {
        return 0;
    }

    /**
     * Name of the rule as it is written on a command line.
     *
     * @return such as {@code bsp} or {@code ssp:3}
     */
    String name();

    /** The last round that each worker has pushed, for each slice that a server owns. */
    interface Clocks {
        /** Number of workers. */
        int workers();

        /**
         * The last round that all workers have pushed for a slice.
         *
         * @param slice the slice
         * @return the lowest round of any worker
         */
        long min(int slice);

        /**
         * Number of workers that still push a slice: all but those that have died or left.
         *
         * @param slice the slice
         * @return the number of workers
         */
        int living(int slice);

        /**
         * Number of workers that still push a slice and have already pushed a given round of it, or a later round.
         *
         * @param slice the slice
         * @param round lowest round that counts
         * @return the number of workers
         */
        int livingAt(int slice, long round);

        /**
         * The number of rounds that all workers together have pushed for a slice, including round 0 of the start. A
         * worker that has died or left counts as if it had pushed every round up to the given one, or with its own
         * pushes if these are more.
         *
         * @param slice the slice
         * @param round last round of workers that have died or left
         * @return the number of rounds
         */
        long roundsPushed(int slice, long round);
    }
}
