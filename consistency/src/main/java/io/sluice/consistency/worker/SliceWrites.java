package io.sluice.consistency.worker;

/**
 * Receives notice before and after each write to a slice of the parameters that other code reads. For the thread that
 * owns the worker.
 */
interface SliceWrites {
    /** Does nothing: the thread that writes is the thread that reads. */
    SliceWrites NONE = new SliceWrites() {
        @Override
        public void begin(int slice) {}

        @Override
        public void end(int slice) {}
    };

    /** Called before a slice changes. */
    void begin(int slice);

    /** Called after a slice has changed. */
    void end(int slice);
}
