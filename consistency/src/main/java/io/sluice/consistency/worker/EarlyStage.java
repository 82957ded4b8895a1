package io.sluice.consistency.worker;

/** What goes out before its clock ends. */
interface EarlyStage {
    /** Nothing does. */
    EarlyStage NONE = new EarlyStage() {
        @Override
        public void changed(Table table, int slice, long round) {}

        @Override
        public void added() {}

        @Override
        public int work(long round, long requiredVersion) {
            return 0;
        }

        @Override
        public void closed(Table table, long round, float threshold) {}
    };

    /** The residual of a slice has changed. */
    void changed(Table table, int slice, long round);

    /** A part of an update has been added. */
    void added();

    /**
     * Sends what budgets have room for now; never waits.
     *
     * @param round           that is open
     * @param requiredVersion that a table needs before any of the round is sent
     * @return frames
     */
    int work(long round, long requiredVersion);

    /** The round of a table is pushed, with a threshold that holds for the next. */
    void closed(Table table, long round, float threshold);
}
