package io.sluice.consistency.snapshot;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The state of one node after one clock.
 *
 * @param run      names the training that it is part of; kept when that is restored, so that no two are mixed
 * @param node     whose state it is, as people speak of it: {@code worker 3}
 * @param clock    after which it was taken
 * @param terms    what shapes the state: a cluster with other terms cannot go on from here
 * @param tables   the tables, as they were declared
 * @param sections the state itself
 */
public record Snapshot(long run, String node, long clock, String terms, String tables, List<Section> sections) {
    private static final ValueLayout.OfLong COUNT = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Copies the list of sections. */
    public Snapshot {
        sections = List.copyOf(sections);
    }

    /**
     * A named piece of state.
     *
     * @param name  unique in its snapshot
     * @param bytes off-heap
     */
    public record Section(String name, MemorySegment bytes) {
        /**
         * A number.
         *
         * @param name  unique in its snapshot
         * @param value of it
         * @return the section
         */
        public static Section ofCount(String name, long value) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[Long.BYTES]);
            bytes.set(COUNT, 0, value);
            return new Section(name, bytes);
        }
    }

    /**
     * A number that was saved as a section.
     *
     * @param name of the section
     * @return its value
     * @throws SnapshotException if there is none of that name, or it is no number
     */
    public long count(String name) {
        MemorySegment bytes = section(name);
        if (bytes.byteSize() != Long.BYTES) {
            throw new SnapshotException("the snapshot of " + node + " at clock " + clock + " has " + bytes.byteSize()
                    + " bytes of " + name + ", expected " + Long.BYTES);
        }
        return bytes.get(COUNT, 0);
    }

    /**
     * Copies a section into memory of the same length.
     *
     * @param name   of the section
     * @param target to be overwritten
     * @throws SnapshotException if there is none of that name, or it has another length
     */
    public void copyTo(String name, MemorySegment target) {
        MemorySegment bytes = section(name);
        if (bytes.byteSize() != target.byteSize()) {
            throw new SnapshotException("the snapshot of " + node + " at clock " + clock + " has " + bytes.byteSize()
                    + " bytes of " + name + ", expected " + target.byteSize());
        }
        MemorySegment.copy(bytes, 0, target, 0, target.byteSize());
    }

    /**
     * A section.
     *
     * @param name of the section
     * @return its bytes, not a copy
     * @throws SnapshotException if there is none of that name
     */
    public MemorySegment section(String name) {
        return sections.stream()
                .filter(section -> section.name().equals(name))
                .findFirst()
                .map(Section::bytes)
                .orElseThrow(() -> new SnapshotException(
                        "the snapshot of " + node + " at clock " + clock + " has no section " + name));
    }

    /**
     * Refuses to go on from this snapshot with something else.
     *
     * @param otherTerms  of the cluster
     * @param otherTables declared now
     * @throws SnapshotException naming both, if either differs
     */
    public void requireFit(String otherTerms, String otherTables) {
        requireSame("terms", terms, otherTerms);
        requireSame("tables", tables, otherTables);
    }

    private void requireSame(String what, String here, String there) {
        if (!here.equals(there)) {
            throw new SnapshotException("the snapshot of " + node + " at clock " + clock + " was taken with " + what
                    + " " + here + ", this job has " + there + ": restore with the same");
        }
    }
}
