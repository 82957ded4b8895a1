package io.sluice.consistency.spi;

import java.lang.foreign.MemorySegment;

/**
 * Chooses what a worker sends for the groups that its trainer adds to a factor table in a clock. A group is a pair of
 * vectors, u of J floats and v of K; it adds u v<sup>T</sup> to the table, a matrix of J x K.
 *
 * <p>An instance belongs to one table of one worker, and to the thread that calls {@link #select}. Random numbers must
 * follow from seed, worker and clock, so that runs repeat and a restored worker sends the same bits again.
 */
@FunctionalInterface
public interface FactorSelection {
    /**
     * Replaces the groups of a clock by those to be sent. Must not allocate.
     *
     * @param u native, 64-byte aligned, {@link Site#groups} x J finite floats in row order and native byte order; row i
     *     is the u of group i. On return the first rows are those to be sent
     * @param v the same with rows of K, for v
     * @param count number of groups that the trainer has added, from 0 to {@link Site#groups}: the first rows
     * @param clock clock of the worker, from 1
     * @return number of groups to be sent, from 0 to {@link Policy#sent}
     * @throws ArithmeticException if what it keeps is not finite, which ends the job
     */
    int select(MemorySegment u, MemorySegment v, int count, long clock);

    /**
     * The state that the selection keeps from clock to clock. Snapshots save these bytes, and a restored worker writes
     * them back before the first clock.
     *
     * @return native, always the same segment; empty if there is nothing to keep
     */
    default MemorySegment state() {
        return MemorySegment.NULL;
    }

    /** A selection by name. Immutable, shared by all tables and threads of a node. */
    interface Policy {
        /**
         * Maximum number of groups that one worker sends in a clock. All nodes declare tables of this size.
         *
         * @param groups maximum number of groups that a trainer adds in a clock, 1 or more
         * @return 1 to {@code groups}
         */
        int sent(int groups);

        /**
         * Creates the selection of one table of one worker.
         *
         * @param site table and worker of the selection
         * @return a new selection; its state is zeros
         */
        FactorSelection create(Site site);
    }

    /**
     * The table and the worker of a selection.
     *
     * @param rows    J, floats of each u, 1 or more
     * @param columns K, floats of each v, 1 or more
     * @param groups  maximum number of groups that the trainer adds in a clock, 1 or more
     * @param worker  number of the worker, from 0
     * @param seed    seed of the table's random numbers, the same at all workers
     */
    record Site(int rows, int columns, int groups, int worker, long seed) {
        /** Refuses values out of range. */
        public Site {
            requireAtLeast("rows", rows, 1);
            requireAtLeast("columns", columns, 1);
            requireAtLeast("groups", groups, 1);
            requireAtLeast("worker", worker, 0);
        }

        private static void requireAtLeast(String name, int value, int least) {
            if (value < least) {
                throw new IllegalArgumentException(name + " is " + value + ", expected " + least + " or more");
            }
        }
    }
}
