package io.sluice.consistency.snapshot;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The state of one node after one clock, to be saved.
 *
 * @param run      number of the training, which a restart keeps, so that snapshots of two runs are never mixed
 * @param node     name of the node, such as {@code worker 3}
 * @param clock    clock after which it was taken
 * @param terms    terms that shape the state: a cluster with other terms cannot restore it
 * @param tables   tables as declared
 * @param commits  clocks of earlier snapshots that all nodes were known to hold when this one was ordered
 * @param sections sections of the state
 */
public record Snapshot(
        long run, String node, long clock, String terms, String tables, List<Long> commits, List<Section> sections) {
    /** Name of the section in which a server saves the changes of the worker set, as numbers. */
    public static final String WORKER_SETS = "worker sets";

    static final ValueLayout.OfLong COUNT = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Copies the lists. */
    public Snapshot {
        commits = List.copyOf(commits);
        sections = List.copyOf(sections);
    }

    /** Creates a snapshot before which nothing was committed. */
    public Snapshot(long run, String node, long clock, String terms, String tables, List<Section> sections) {
        this(run, node, clock, terms, tables, List.of(), sections);
    }

    /**
     * A named piece of state.
     *
     * @param name name, unique in its snapshot
     * @param bytes memory, off-heap or of a byte array
     */
    public record Section(String name, MemorySegment bytes) {
        /**
         * Creates a section that holds a number.
         *
         * @param name name, unique in its snapshot
         * @param value the number
         * @return the section
         */
        public static Section ofCount(String name, long value) {
            return ofNumbers(name, value);
        }

        /**
         * Creates a section that holds several numbers.
         *
         * @param name name, unique in its snapshot
         * @param values values of the section
         * @return the section
         */
        public static Section ofNumbers(String name, long... values) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[values.length * Long.BYTES]);
            for (int i = 0; i < values.length; i++) {
                bytes.setAtIndex(COUNT, i, values[i]);
            }
            return new Section(name, bytes);
        }
    }
}
