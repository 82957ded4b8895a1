package io.sluice.consistency.worker;

import io.sluice.codecs.spi.Block;

/**
 * Read-my-writes: the updates that this worker has pushed and that have not returned in a broadcast, which reads of a
 * table include (decision 2).
 */
interface OwnWrites {
    /** No overlay: the trainer reads the replica itself. */
    OwnWrites NONE = new OwnWrites() {
        @Override
        public void begin() {}

        @Override
        public void pushed(int slice, long round, Block block) {}

        @Override
        public void merged(int slice, long round, Block block) {}

        @Override
        public void applied(int slice, long version) {}

        @Override
        public void refresh() {}
    };

    /** Begins a round, whose slices are about to be pushed. */
    void begin();

    /** Records a block before the sender receives it, which may change it. */
    void pushed(int slice, long round, Block block);

    /** Records a block that replaces the previous block of its slice, which was still queued. */
    void merged(int slice, long round, Block block);

    /** Records that the replica has applied a version of a slice. */
    void applied(int slice, long version);

    /** Updates the trainer's copy before the trainer reads. */
    void refresh();
}
