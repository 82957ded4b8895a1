package io.sluice.consistency.worker;

/** Sends parts of updates before their clock ends. */
interface EarlyStage {
    /** Sends nothing early. */
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
     * Sends as much as the budgets allow now; never waits.
     *
     * @param round           round that is open
     * @param requiredVersion version that a table needs before any of the round is sent
     * @return frames
     */
    int work(long round, long requiredVersion);

    /** The round of a table is pushed, with a threshold that holds for the next. */
    void closed(Table table, long round, float threshold);
}
