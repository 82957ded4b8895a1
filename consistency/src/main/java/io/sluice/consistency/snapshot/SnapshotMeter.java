package io.sluice.consistency.snapshot;

/** Receives the cost of the snapshots of one node. */
public interface SnapshotMeter {
    /** Counts nothing. */
    SnapshotMeter NONE = new SnapshotMeter() {
        @Override
        public void copied(long ns) {}

        @Override
        public void saved(long bytes, long ns) {}
    };

    /**
     * Counts a time for which the thread that trains or serves was blocked while it copied some of its state. Called by
     * that thread.
     *
     * @param ns length of the block, in nanoseconds
     */
    void copied(long ns);

    /**
     * Counts a written snapshot. Called by the thread that writes.
     *
     * @param bytes bytes of its file
     * @param ns    nanoseconds since the copy of its state began
     */
    void saved(long bytes, long ns);
}
