package io.sluice.consistency.snapshot;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/**
 * A section at one snapshot: a hash of each page of {@value #PAGE} bytes, by which the next snapshot finds changes, and
 * a CRC-32C of all. Takes 1/512 of the section's length in memory.
 *
 * <p>The hash has 64 bits (xxHash): of 10^9 changed pages, one is taken for unchanged with probability 10^-10; the
 * CRC-32C detects that when the snapshot is read.
 *
 * @param name     name of the section
 * @param bytes length of the section
 * @param hashes   hashes of its pages
 * @param checksum checksum of its content
 */
record SectionPages(String name, long bytes, long[] hashes, int checksum) {
    /** Bytes of a page; the last one of a section may be shorter. */
    static final int PAGE = 1 << 12;

    private static final int CHUNK = 1 << 20;
    private static final XXHash64 HASH = XXHashFactory.fastestInstance().hash64();
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PAGE);
    private static final long ZERO_PAGE = HASH.hash(ZEROS, 0, PAGE, 0);

    /** Reads a section once. */
    static SectionPages of(Snapshot.Section section) {
        MemorySegment all = section.bytes();
        long size = all.byteSize();
        long[] hashes = new long[Math.toIntExact((size + PAGE - 1) / PAGE)];
        CRC32C checksum = new CRC32C();
        int page = 0;
        for (long at = 0; at < size; at += CHUNK) {
            ByteBuffer chunk = all.asSlice(at, Math.min(CHUNK, size - at)).asByteBuffer();
            for (int offset = 0; offset < chunk.capacity(); offset += PAGE) {
                hashes[page++] = HASH.hash(chunk, offset, Math.min(PAGE, chunk.capacity() - offset), 0);
            }
            checksum.update(chunk); // computed while the page is in the cache
        }
        return new SectionPages(section.name(), size, hashes, (int) checksum.getValue());
    }

    int pages() {
        return hashes.length;
    }

    int length(int page) {
        return (int) Math.min(PAGE, bytes - (long) page * PAGE);
    }

    /**
     * Whether a page differs from its earlier content.
     *
     * @param page number of the page
     * @param before the same section at an earlier snapshot, of the same length; null for all zeros
     */
    boolean differs(int page, SectionPages before) {
        return hashes[page] != (null == before ? zeros(page) : before.hashes[page]);
    }

    private long zeros(int page) {
        int length = length(page);
        return PAGE == length ? ZERO_PAGE : HASH.hash(ZEROS, 0, length, 0);
    }

    /** Bytes of the pages that {@link #differs differ}. */
    long bytesUnlike(SectionPages before) {
        long unlike = 0;
        for (int page = 0; page < hashes.length; page++) {
            unlike += differs(page, before) ? length(page) : 0;
        }
        return unlike;
    }
}
