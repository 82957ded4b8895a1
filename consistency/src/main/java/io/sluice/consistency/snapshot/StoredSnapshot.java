package io.sluice.consistency.snapshot;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/**
 * A snapshot on disk: a whole file, and a chain of increments. Sections are assembled in the reader's memory, without a
 * second copy.
 *
 * <p>For one thread, while the arena with which it was read is open.
 */
public final class StoredSnapshot {
    private static final int CHUNK = 1 << 20;

    /** Maximum length of the trainer's state, which is an array. */
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    /** The links of the chain, the newest first. */
    private final List<SnapshotLink> links;

    private final PageRecords records = new PageRecords();

    /** Creates a snapshot of links, each of which is the parent of the one before it; the last has no parent. */
    StoredSnapshot(List<SnapshotLink> links) {
        this.links = links;
    }

    /** The run of the snapshot. */
    public long run() {
        return newest().run();
    }

    /** The clock after which it was taken. */
    public long clock() {
        return newest().clock();
    }

    /** The number of files in its chain. */
    int files() {
        return links.size();
    }

    private SnapshotLink newest() {
        return links.getFirst();
    }

    private String title() {
        return "the snapshot of " + newest().node() + " at clock " + clock();
    }

    /**
     * Refuses to continue from this snapshot with other terms or tables.
     *
     * @param terms  terms of the cluster
     * @param tables tables declared now
     * @throws SnapshotException naming both, if either differs
     */
    public void requireFit(String terms, String tables) {
        requireSame("terms", newest().terms(), terms);
        requireSame("tables", newest().tables(), tables);
    }

    private void requireSame(String what, String here, String there) {
        if (!here.equals(there)) {
            throw new SnapshotException(title() + " was taken with " + what + " " + here + ", this job has " + there
                    + ": restore with the same");
        }
    }

    /**
     * Copies a section into memory of the same length.
     *
     * @param name   name of the section
     * @param target target to be overwritten; off-heap
     * @throws SnapshotException if there is no such section, its length differs, or its checksum is wrong
     */
    public void copyTo(String name, MemorySegment target) {
        SnapshotLink.Part wanted = part(name);
        if (wanted.bytes() != target.byteSize()) {
            throw new SnapshotException(
                    title() + " has " + wanted.bytes() + " bytes of " + name + ", expected " + target.byteSize());
        }
        int oldest = 0;
        while (requirePart(oldest, wanted).increment()) {
            oldest++;
        }
        target.fill((byte) 0);
        for (int i = oldest; i >= 0; i--) {
            if (!records.apply(requirePart(i, wanted).records(), target)) {
                throw new SnapshotException(
                        links.get(i).file() + " is damaged: pages of " + name + " cannot be decompressed");
            }
        }
        int checksum = checksum(target);
        if (checksum != wanted.checksum()) {
            throw new SnapshotException(title() + " is not what was saved: the checksum of " + name + " is "
                    + Integer.toHexString(checksum) + ", expected " + Integer.toHexString(wanted.checksum()));
        }
    }

    private SnapshotLink.Part requirePart(int link, SnapshotLink.Part wanted) {
        SnapshotLink.Part part = link < links.size() ? links.get(link).part(wanted.name()) : null;
        if (null == part || part.bytes() != wanted.bytes()) {
            throw new SnapshotException(title() + " is incomplete: no file before it has as much of " + wanted.name());
        }
        return part;
    }

    private static int checksum(MemorySegment bytes) {
        CRC32C checksum = new CRC32C();
        for (long at = 0; at < bytes.byteSize(); at += CHUNK) {
            checksum.update(
                    bytes.asSlice(at, Math.min(CHUNK, bytes.byteSize() - at)).asByteBuffer());
        }
        return (int) checksum.getValue();
    }

    /**
     * Copies a section that is small.
     *
     * @param name name of the section
     * @return the bytes of the section
     * @throws SnapshotException as {@link #copyTo}
     */
    public byte[] bytes(String name) {
        long bytes = part(name).bytes();
        try (Arena arena = Arena.ofConfined()) {
            if (bytes > MOST_BYTES) {
                throw new SnapshotException(newest().file() + " is damaged: " + name + " declares a length of " + bytes
                        + " bytes, expected up to " + MOST_BYTES);
            }
            MemorySegment target = arena.allocate(bytes);
            copyTo(name, target);
            return target.toArray(ValueLayout.JAVA_BYTE);
        } catch (OutOfMemoryError e) { // pages of zeros take no space in a file, so its length proves nothing
            throw new SnapshotException(newest().file() + " is damaged or too large: there is no memory for " + bytes
                    + " bytes of " + name);
        }
    }

    /**
     * A number that was saved as a section.
     *
     * @param name name of the section
     * @return the value
     * @throws SnapshotException as {@link #copyTo}
     */
    public long count(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(Snapshot.COUNT);
            copyTo(name, target);
            return target.get(Snapshot.COUNT, 0);
        }
    }

    /** Whether there is a section of a name. */
    boolean has(String name) {
        return null != newest().part(name);
    }

    /** Numbers that were saved as a section. */
    List<Long> numbers(String name) {
        MemorySegment bytes = MemorySegment.ofArray(bytes(name));
        return LongStream.range(0, bytes.byteSize() / Long.BYTES)
                .mapToObj(i -> bytes.getAtIndex(Snapshot.COUNT, i))
                .toList();
    }

    private SnapshotLink.Part part(String name) {
        SnapshotLink.Part part = newest().part(name);
        if (null == part) {
            throw new SnapshotException(title() + " has no section " + name);
        }
        return part;
    }
}
