package io.sluice.messaging.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.management.ThreadMXBean;
import io.sluice.messaging.flow.TokenBucket;
import io.sluice.messaging.spi.SliceOrder;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class OutboxTest {
    private static final int DATA = 8;
    private static final int SMALL = 2;

    private final Outbox outbox = new Outbox(DATA, 1_000, SMALL, 64, 3, 100);

    @Test
    void whenAllSlotsAreTakenThereIsNoneUntilOneIsReleased() {
        for (int i = 0; i < DATA; i++) {
            outbox.publish(outbox.claim(), 0, i, i);
        }
        assertEquals(Outbox.NONE, outbox.claim());
        assertEquals(DATA, outbox.backlog());
        int slot = outbox.take();
        assertEquals(Outbox.NONE, outbox.claim(), "what is being sent is not free yet");
        outbox.release(slot);
        assertEquals(slot, outbox.claim());
        assertEquals(DATA - 1, outbox.backlog());
        assertNotEquals(Outbox.NONE, outbox.claimSmall(), "small slots are apart");
    }

    @Test
    void aSlotThatWaitsIsTakenBackAndKeepsItsPlaceBeforeTheFence() {
        int slot = outbox.claim();
        outbox.publish(slot, 1, 42, 5);
        outbox.publishFence(outbox.claimSmall(), 1);
        assertEquals(slot, outbox.takeBack(42));
        assertEquals(Outbox.NONE, outbox.take(), "the fence must not overtake a slot that is being rewritten");
        assertEquals(Outbox.NONE, outbox.takeBack(42), "it has been taken back already");
        outbox.publishAgain(slot, 7);
        assertEquals(slot, outbox.take());
        assertEquals(Outbox.NONE, outbox.takeBack(42), "the slot is being sent");
        outbox.release(slot);
        assertEquals(Outbox.NONE, outbox.takeBack(42), "the slot has been sent");
        assertEquals(true, outbox.isFence(outbox.take()));
    }

    @Test
    void aSlotUsedForAnotherKeyIsNotMistaken() {
        int slot = outbox.claim();
        outbox.publish(slot, 1, 42, 5);
        outbox.release(outbox.take());
        assertEquals(slot, outbox.claim());
        outbox.publish(slot, 1, 43, 5);
        assertEquals(Outbox.NONE, outbox.takeBack(42));
        assertEquals(slot, outbox.takeBack(43));
    }

    @Test
    void aSlotThatIsRewrittenDelaysNoOther() {
        int first = outbox.claim();
        outbox.publish(first, 0, 1, 1);
        int second = outbox.claim();
        outbox.publish(second, 0, 2, 2);
        assertEquals(first, outbox.takeBack(1));
        assertEquals(second, outbox.take());
        outbox.publishAgain(first, 1);
        assertEquals(first, outbox.take());
    }

    @Test
    void aNewPriorityCountsWhileASlotWaits() {
        int first = outbox.claim();
        outbox.publish(first, 0, 1, 1);
        int second = outbox.claim();
        outbox.publish(second, 0, 2, 2);
        outbox.publishAgain(outbox.takeBack(1), 3);
        assertEquals(second, outbox.take());
        assertEquals(first, outbox.take());
    }

    @Test
    void anAbandonedSlotIsFreeAgain() {
        int slot = outbox.claim();
        outbox.abandon(slot);
        assertEquals(slot, outbox.claim());
        assertEquals(0, outbox.backlog());
    }

    @Test
    void outboxesThatCannotBeAllocatedAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Outbox(0, 100, 1, 64, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Outbox(1 << 16, 1 << 16, 1, 64, 1, 1));
    }

    @Test
    void allocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        SliceOrder order = SliceOrders.named("layer,magnitude");
        SliceOrder.Urgency urgency = new SliceOrder.Urgency();
        TokenBucket bucket = new TokenBucket(1_000_000_000, 1 << 20);
        long least = Long.MAX_VALUE;
        // The compiler works in the background: measure in batches until one is clean, or give up.
        for (int batch = 0; batch < 60 && least > 0; batch++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1_000; i++) {
                round(order, urgency, bucket, i);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
    }

    private void round(SliceOrder order, SliceOrder.Urgency urgency, TokenBucket bucket, int round) {
        for (int part = 0; part < DATA; part++) {
            long rank = order.rank(urgency.slice(part % 3, part, round).change(part * 0.1f, 1));
            outbox.publish(outbox.claim(), part % 3, part, rank);
        }
        outbox.publishFence(outbox.claimSmall(), 1);
        outbox.publishAgain(outbox.takeBack(3), 77);
        for (int slot = outbox.take(); slot != Outbox.NONE; slot = outbox.take()) {
            bucket.take(1_000, System.nanoTime());
            outbox.release(slot);
        }
    }
}
