package io.sluice.consistency.server;

/**
 * What becomes of a finalised slice. One outflow serves one table of a shard; slices are counted as the shard owns
 * them, from 0.
 */
interface Outflow {
    /** Where there are no slices. */
    Outflow NOTHING = new Outflow() {
        @Override
        public boolean isReady(int slice) {
            return true;
        }

        @Override
        public void finalise(int slice, long round) {}

        @Override
        public void changed(int slice) {}

        @Override
        public boolean closeRound(long round) {
            return true;
        }

        @Override
        public boolean onPull(int worker, long version) {
            return false;
        }

        @Override
        public int work() {
            return 0;
        }

        @Override
        public float residualMaxAbs() {
            return 0;
        }
    };

    /**
     * Whether the slice's next round may be finalised, as far as the way out is concerned.
     *
     * @param slice position among the slices owned
     * @return false while the slice's last round is still being sent
     */
    boolean isReady(int slice);

    /**
     * Takes over the sum of a slice and leaves in its place what stays at home.
     *
     * @param slice position among the slices owned
     * @param round the round it is finalised for
     */
    void finalise(int slice, long round);

    /**
     * Something was added to the sum of a slice, which may or may not be complete.
     *
     * @param slice position among the slices owned
     */
    void changed(int slice);

    /**
     * Closes a round once all its slices are finalised.
     *
     * @param round the round
     * @return false if the last round's mark is still being sent: ask again
     */
    boolean closeRound(long round);

    /**
     * A worker asks for parameters.
     *
     * @param worker  index of the worker
     * @param version lowest version that will do
     * @return false if this outflow does not serve pulls
     */
    boolean onPull(int worker, long version);

    /**
     * One duty cycle of whatever goes out on request.
     *
     * @return amount of work done
     */
    int work();

    /**
     * Largest magnitude that stayed at home.
     *
     * @return 0 where nothing stays
     */
    float residualMaxAbs();
}
