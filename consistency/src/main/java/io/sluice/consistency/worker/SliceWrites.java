package io.sluice.consistency.worker;

/** What happens around each write to the parameters that are read of a slice. For the thread that owns the worker. */
interface SliceWrites {
    /** Nothing: the thread that writes is the one that reads. */
    SliceWrites NONE = new SliceWrites() {
        @Override
        public void begin(int slice) {}

        @Override
        public void end(int slice) {}
    };

    /** A slice is about to change. */
    void begin(int slice);

    /** A slice has changed. */
    void end(int slice);
}
