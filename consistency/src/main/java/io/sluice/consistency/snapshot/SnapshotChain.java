package io.sluice.consistency.snapshot;

import java.util.List;

/**
 * Decides whether a node's next snapshot is whole or an increment on the last one (decision 9). For this it keeps the
 * hashes of the pages that it has written, not the pages.
 *
 * <p>A snapshot is whole if it is the first of this process, if it follows the largest allowed number of increments, if
 * half of its pages have changed, or if the increments together would become longer than the snapshot that they build
 * on. So a chain takes less than twice the space of a whole snapshot. For one thread.
 */
final class SnapshotChain {
    private final SnapshotFolder folder;
    private final int mostIncrements;
    private SnapshotFile.Base last = SnapshotFile.NOTHING;
    private int increments;
    private long wholeBytes;
    private long incrementBytes;

    /**
     * Creates a chain without any snapshot.
     *
     * @param folder         folder of the node
     * @param mostIncrements longest sequence of increments; 0 for none
     */
    SnapshotChain(SnapshotFolder folder, int mostIncrements) {
        this.folder = folder;
        this.mostIncrements = mostIncrements;
    }

    /** The clock on which the next snapshot may build, or {@link SnapshotSchedule#NONE}. */
    long last() {
        return last.clock();
    }

    /**
     * Saves a snapshot.
     *
     * @return bytes written
     * @throws SnapshotException if it cannot be written; the next one then builds on the one before it
     */
    long save(Snapshot snapshot) {
        List<SectionPages> pages =
                snapshot.sections().stream().map(SectionPages::of).toList();
        boolean grows = increments < mostIncrements && folder.has(last.clock()) && isWorthwhile(pages);
        SnapshotFile.Written written = folder.save(snapshot, pages, grows ? last : SnapshotFile.NOTHING);
        increments = grows ? increments + 1 : 0;
        incrementBytes = grows ? incrementBytes + written.length() : 0;
        wholeBytes = grows ? wholeBytes : written.length();
        last = written.base();
        return written.length();
    }

    private boolean isWorthwhile(List<SectionPages> pages) {
        long changed = pages.stream()
                .mapToLong(section -> section.bytesUnlike(last.of(section)))
                .sum();
        long all =
                pages.stream().mapToLong(section -> section.bytesUnlike(null)).sum();
        return 2 * changed <= all && incrementBytes + changed <= wholeBytes;
    }
}
