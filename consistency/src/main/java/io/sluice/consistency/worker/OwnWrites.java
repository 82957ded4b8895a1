package io.sluice.consistency.worker;

import io.sluice.codecs.api.Block;

/**
 * Read-my-writes: the updates that this worker has pushed and that have not returned in a broadcast, which reads of a
 * table include (decision 14).
 */
interface OwnWrites {
    /** The trainer reads the replica itself. */
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

    /** The slices of a round are about to be pushed. */
    void begin();

    /** A block is about to be handed to the sender, which may change it. */
    void pushed(int slice, long round, Block block);

    /** The block of a round replaces the previous block of its slice, which was still queued. */
    void merged(int slice, long round, Block block);

    /** The replica has applied a version of a slice. */
    void applied(int slice, long version);

    /** The trainer is about to read. */
    void refresh();
}
