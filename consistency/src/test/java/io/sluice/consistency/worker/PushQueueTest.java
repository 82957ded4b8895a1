package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** What a slot stands for is told when it is published, and not when its turn comes. */
class PushQueueTest {
    /** A table's slices go elsewhere and come back while the mark of a round that ended without it still waits. */
    @Test
    void whatWaitsKeepsTheRoundThatItIsOf() {
        PushQueue queue = new PushQueue(2, 100, 2, 4, () -> 0);
        queue.publishRoundCommit(queue.outbox().claimSmall(), 1);
        queue.begin(1, 8);
        queue.publishRoundCommit(queue.outbox().claimSmall(), 1);
        assertEquals(0, queue.firstRound(queue.outbox().take()));
        assertEquals(8, queue.firstRound(queue.outbox().take()));
        queue.publishRoundCommit(queue.outbox().claimSmall(), 0);
        assertEquals(0, queue.firstRound(queue.outbox().take()), "of the other table");
    }
}
