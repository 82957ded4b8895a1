package io.sluice.consistency.worker;

/** Copies a worker's state at the clocks of snapshots. */
interface SnapshotStage extends AutoCloseable {
    /** Of a cluster that takes no snapshots. */
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
        public void close() {}
    };

    /**
     * Puts back the state with which the cluster begins, all but the clocks.
     *
     * @param from clock of the snapshot
     * @throws io.sluice.consistency.terms.SnapshotException if it is not whole, or of another cluster
     */
    void restore(long from);

    /** A clock is over: its updates are pushed, and nothing has been added for the next. */
    void endOfClock(long completed);

    /** Nothing of the next clock has been pushed of a table yet, whose replica may have reached the version. */
    void capture(Table table);

    @Override
    void close();
}
