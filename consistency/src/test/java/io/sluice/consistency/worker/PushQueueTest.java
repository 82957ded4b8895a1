package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.codecs.Frame;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import org.junit.jupiter.api.Test;

/** What a slot has is determined when it is published, not when it is sent. */
class PushQueueTest {
    /** The slices of a table move away and return while the commit of a round that ended without them still waits. */
    @Test
    void aWaitingEntryKeepsItsRound() {
        PushQueue queue = new PushQueue(2, 100, 2, 4, () -> 0);
        queue.publishRoundCommit(queue.outbox().claimSmall(), 1);
        queue.begin(1, 8);
        queue.publishRoundCommit(queue.outbox().claimSmall(), 1);
        assertEquals(0, queue.firstRound(queue.outbox().take()));
        assertEquals(8, queue.firstRound(queue.outbox().take()));
        queue.publishRoundCommit(queue.outbox().claimSmall(), 0);
        assertEquals(0, queue.firstRound(queue.outbox().take()), "of the other table");
    }

    /** A weighted block without values is sent; one that an update has cancelled is not, and adds no backlog. */
    @Test
    void aBlockIsCancelledIfItIsPublishedAgainWithoutValues() {
        PushQueue queue = new PushQueue(2, 100, 1, 4, () -> 0);
        for (int count = 1; count >= 0; count--) {
            int slot = queue.outbox().claim();
            queue.newBlock(slot).set(BlockFormat.DENSE, ValueType.F32, 1, 1, Float.BYTES);
            queue.publishBlock(slot, 0, 2, 2, 0, 0);
            assertEquals(slot, queue.outbox().takeBack(2));
            queue.newBlock(slot).set(BlockFormat.DENSE, ValueType.F32, 1, count, count * Float.BYTES);
            queue.publishAgain(slot, 0);
            assertEquals(0 == count, queue.isCancelled(slot));
            assertEquals(count * (Frame.DATA_LENGTH + Float.BYTES), queue.bytes());
            queue.release(queue.outbox().take());
            assertEquals(0, queue.bytes());
        }
        int slot = queue.outbox().claim();
        queue.newBlock(slot).set(BlockFormat.EMPTY, ValueType.F32, 1, 0, 0);
        queue.publishBlock(slot, 0, 2, 2, 0, 0);
        assertFalse(queue.isCancelled(slot));
    }
}
