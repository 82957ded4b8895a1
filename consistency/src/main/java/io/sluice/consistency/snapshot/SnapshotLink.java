package io.sluice.consistency.snapshot;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * One valid file of a chain, mapped into memory.
 *
 * @param file           name of the file
 * @param run            run of the snapshot
 * @param node           node whose state it is
 * @param clock          clock after which it was taken
 * @param parent         clock of the snapshot on which it builds, or {@link SnapshotSchedule#NONE}
 * @param parentChecksum checksum of the parent's file
 * @param checksum       checksum of this file
 * @param terms          terms that shape the state
 * @param tables         tables as declared
 * @param commits        clocks whose snapshots were committed when this snapshot was ordered
 * @param parts          parts of all sections
 */
record SnapshotLink(
        Path file,
        long run,
        String node,
        long clock,
        long parent,
        int parentChecksum,
        int checksum,
        String terms,
        String tables,
        List<Long> commits,
        List<Part> parts) {

    /**
     * The part of a section that a file holds.
     *
     * @param name      name of the section
     * @param bytes     bytes of the whole section
     * @param checksum  checksum of the whole section
     * @param increment whether the parent has the other pages; if not, they are zeros
     * @param records   the pages ({@link PageRecords})
     */
    record Part(String name, long bytes, int checksum, boolean increment, MemorySegment records) {}

    /** Whether the file builds on another. */
    boolean hasParent() {
        return SnapshotSchedule.NONE != parent;
    }

    /** The part of a section, or null. */
    Part part(String name) {
        for (Part part : parts) {
            if (part.name().equals(name)) {
                return part;
            }
        }
        return null;
    }
}
