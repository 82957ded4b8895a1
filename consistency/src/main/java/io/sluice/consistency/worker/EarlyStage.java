package io.sluice.consistency.worker;

/** Sends parts of updates before their clock ends. */
interface EarlyStage {
    /** Sends nothing early. */
    EarlyStage NONE = new EarlyStage() {
        @Override
        public void changed(Table table, int slice, long round) {}

        @Override
        public void touched(Table table, long element) {}

        @Override
        public void added() {}

        @Override
        public int work(long round, long requiredVersion) {
            return 0;
        }

        @Override
        public void closed(Table table, long round, float threshold) {}
    };

    /** Records that the residual of a slice has changed. */
    void changed(Table table, int slice, long round);

    /** Records that an element of the residual has changed, whose slice {@link #work} will inspect. */
    void touched(Table table, long element);

    /** Records that a part of an update has been added. */
    void added();

    /**
     * Sends as much as the budgets allow now; never waits.
     *
     * @param round           open round
     * @param requiredVersion version that a table needs before any of the round is sent
     * @return number of frames
     */
    int work(long round, long requiredVersion);

    /** Records that the round of a table is pushed, with a threshold that holds for the next. */
    void closed(Table table, long round, float threshold);
}
