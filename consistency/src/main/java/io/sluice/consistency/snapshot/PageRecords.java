package io.sluice.consistency.snapshot;

import io.sluice.codecs.Lz4Compressor;
import io.sluice.codecs.spi.BlockCompressor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Pages of a section in a file: runs of up to {@value #RUN} changed pages, each after the number of its first page, its
 * length, and its length in the file, which is shorter if it is compressed (LZ4). An empty run ends them. Numbers are
 * 32 bits, little endian.
 *
 * <p>An instance is for one thread, and holds half a megabyte.
 */
final class PageRecords {
    private static final int RUN = 64;
    private static final int HEAD = 3 * Integer.BYTES;
    private static final int MOST = RUN * SectionPages.PAGE;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /**
     * After a run that does not get shorter by an eighth, this many runs are not compressed, because neighbouring runs
     * are alike.
     */
    private static final int UNTRIED = 15;

    private static final int WORTH = 8;

    private final BlockCompressor compressor = new Lz4Compressor();
    private final ByteBuffer head = ByteBuffer.allocateDirect(HEAD).order(ByteOrder.LITTLE_ENDIAN);
    private final UnsafeBuffer packed =
            new UnsafeBuffer(ByteBuffer.allocateDirect(compressor.maxCompressedLength(MOST)));
    private int untried;

    /**
     * Writes the changed pages of a section.
     *
     * @param section section, off-heap or of an array
     * @param now pages of the section now
     * @param before pages that readers of the file have already; null for zeros
     * @param file    file to append to
     */
    void write(MemorySegment section, SectionPages now, SectionPages before, ChecksummedFile file) throws IOException {
        untried = 0;
        int page = 0;
        while (page < now.pages()) {
            int end = page;
            while (end < now.pages() && end - page < RUN && now.differs(end, before)) {
                end++;
            }
            if (end > page) {
                long at = (long) page * SectionPages.PAGE;
                long length = Math.min((long) end * SectionPages.PAGE, now.bytes()) - at;
                putRun(page, direct(section.asSlice(at, length)), file);
            }
            page = Math.max(end, page + 1);
        }
        putHead(0, 0, 0, file);
    }

    /** Copies memory off-heap if necessary, because compressors need off-heap memory. */
    private static MemorySegment direct(MemorySegment bytes) {
        return bytes.isNative()
                ? bytes
                : Arena.ofAuto().allocate(bytes.byteSize()).copyFrom(bytes);
    }

    /** Wraps memory off-heap with a byte buffer, which compressors need. */
    private static UnsafeBuffer view(MemorySegment bytes) {
        return new UnsafeBuffer(bytes.asByteBuffer());
    }

    private void putRun(int page, MemorySegment run, ChecksummedFile file) throws IOException {
        int length = (int) run.byteSize();
        if (untried > 0) {
            untried--;
        } else {
            int shorter = compressor.compress(view(run), 0, length, packed, 0, packed.capacity());
            if (shorter <= length - length / WORTH && shorter < length) {
                putHead(page, length, shorter, file);
                file.put(packed.byteBuffer().slice(0, shorter));
                return;
            }
            untried = UNTRIED;
        }
        putHead(page, length, length, file);
        file.put(run.asByteBuffer());
    }

    private void putHead(int page, int length, int stored, ChecksummedFile file) throws IOException {
        file.put(head.clear().putInt(page).putInt(length).putInt(stored).flip());
    }

    /**
     * Finds the end of a section's records.
     *
     * @param file mapped file
     * @param begin offset of the records
     * @param limit limit of the file
     * @param bytes bytes of the section
     * @return offset of the first byte after them, or -1 if they are not valid
     */
    static long end(MemorySegment file, long begin, long limit, long bytes) {
        long at = begin;
        while (limit - at >= HEAD) {
            long first = (long) file.get(INT, at) * SectionPages.PAGE;
            int length = file.get(INT, at + Integer.BYTES);
            int stored = file.get(INT, at + 2 * Integer.BYTES);
            at += HEAD;
            if (0 == length) {
                return 0 == stored ? at : -1;
            }
            boolean valid = first >= 0 && length > 0 && length <= MOST && first + length <= bytes;
            if (!valid || stored <= 0 || stored > length || stored > limit - at) {
                return -1;
            }
            at += stored;
        }
        return -1;
    }

    /**
     * Overwrites the pages that records have.
     *
     * @param records records of a section that were found valid
     * @param target memory of the section
     * @return false if some cannot be decompressed
     */
    boolean apply(MemorySegment records, MemorySegment target) {
        long at = 0;
        while (true) {
            long first = (long) records.get(INT, at) * SectionPages.PAGE;
            int length = records.get(INT, at + Integer.BYTES);
            int stored = records.get(INT, at + 2 * Integer.BYTES);
            at += HEAD;
            if (0 == length) {
                return true;
            }
            MemorySegment source = records.asSlice(at, stored);
            MemorySegment pages = target.asSlice(first, length);
            if (stored == length) {
                pages.copyFrom(source);
            } else if (length != compressor.decompress(view(source), 0, stored, view(pages), 0, length)) {
                return false;
            }
            at += stored;
        }
    }
}
