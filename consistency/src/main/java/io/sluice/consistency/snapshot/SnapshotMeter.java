package io.sluice.consistency.snapshot;

/** Hears what the snapshots of one node cost. */
public interface SnapshotMeter {
    /** Counts nothing. */
    SnapshotMeter NONE = new SnapshotMeter() {
        @Override
        public void copied(long ns) {}

        @Override
        public void saved(long bytes, long ns) {}
    };

    /**
     * The thread that trains or serves stood still to copy some of its state. For that thread.
     *
     * @param ns for so long, in nanoseconds
     */
    void copied(long ns);

    /**
     * A snapshot was written. For the thread that writes.
     *
     * @param bytes of its file
     * @param ns    since the copy of its state began, in nanoseconds
     */
    void saved(long bytes, long ns);
}
