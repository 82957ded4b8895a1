package io.sluice.consistency.worker;

/**
 * Receives notice before and after each write to the parameters that are read of a slice. For the thread that owns the
 * worker.
 */
interface SliceWrites {
    /** Does nothing: the thread that writes is the thread that reads. */
    SliceWrites NONE = new SliceWrites() {
        @Override
        public void begin(int slice) {}

        @Override
        public void end(int slice) {}
    };

    /** Handles that a slice is about to change. */
    void begin(int slice);

    /** Handles that a slice has changed. */
    void end(int slice);
}
