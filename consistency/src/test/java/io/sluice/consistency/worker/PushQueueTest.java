package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The round of a slot is determined when it is published, not when it is sent. */
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
}
