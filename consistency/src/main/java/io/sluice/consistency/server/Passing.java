package io.sluice.consistency.server;

/** Hears of the slices and rounds of one table as they are finalised. */
interface Passing {
    /** Nobody wants to know. */
    Passing NOBODY = new Passing() {
        @Override
        public void onFinalised(int position, long round) {}

        @Override
        public void onClosed(long round) {}
    };

    /**
     * A slice is finalised; what is left in its sum is the residual.
     *
     * @param position among the slices owned
     * @param round    for which
     */
    void onFinalised(int position, long round);

    /**
     * All slices of a round are.
     *
     * @param round the round
     */
    void onClosed(long round);
}
