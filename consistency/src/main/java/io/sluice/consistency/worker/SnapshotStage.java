package io.sluice.consistency.worker;

import org.agrona.DirectBuffer;

/** Copies a worker's state at the clocks of snapshots. */
interface SnapshotStage extends AutoCloseable {
    /** The stage of a cluster without snapshots. */
    SnapshotStage NONE = new SnapshotStage() {
        @Override
        public void restore(long from) {
            throw new IllegalStateException("no snapshots are kept");
        }

        @Override
        public void endOfClock(long completed) {}

        @Override
        public void capture(Table table) {}

        @Override
        public void capture(FactorTable table) {}

        @Override
        public void onVectors(DirectBuffer frame, int offset, int length) {}

        @Override
        public void close() {}
    };

    /**
     * Restores the state with which the cluster starts, except the clocks.
     *
     * @param from clock of the snapshot
     * @throws io.sluice.consistency.snapshot.SnapshotException if the snapshot is damaged or of another cluster
     */
    void restore(long from);

    /** Handles the end of a clock: its updates are pushed, and the next clock has added nothing yet. */
    void endOfClock(long completed);

    /** Captures a table before its push of the next clock; its replica may have reached the version. */
    void capture(Table table);

    /** Captures a factor table whose matrix has just reached a version. */
    void capture(FactorTable table);

    /** Handles a frame of vectors that this worker has just added to a consumed table. */
    void onVectors(DirectBuffer frame, int offset, int length);

    @Override
    void close();
}
