package io.sluice.perf.urgency;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Outbox;
import io.sluice.messaging.outbox.Pacing;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** Sends what waits, within the budget, on a thread of its own: as a worker with an order does. */
final class UrgencySender implements AutoCloseable {
    private static final int JOIN_MS = 5_000;

    private final Link link;
    private final Outbox outbox;
    private final Pacing pacing;
    private final Thread thread;
    private volatile boolean closed;

    UrgencySender(Link link, Outbox outbox, Pacing pacing) {
        this.link = link;
        this.outbox = outbox;
        this.pacing = pacing;
        thread = Thread.ofPlatform().daemon().name("urgency-sender").start(this::run);
    }

    private void run() {
        IdleStrategy idle = new BackoffIdleStrategy(10, 20, 1_000, 50_000);
        int inHand = Outbox.NONE;
        while (!closed) {
            if (inHand == Outbox.NONE && link.room() > 0 && pacing.admits(UrgentSlices.LENGTH)) {
                inHand = outbox.take();
            }
            boolean sent =
                    inHand != Outbox.NONE && link.offer(outbox.frame(inHand).buffer(), 0, UrgentSlices.LENGTH);
            if (sent) {
                pacing.onSent(UrgentSlices.LENGTH);
                outbox.release(inHand);
                inHand = Outbox.NONE;
            }
            idle.idle(sent ? 1 : 0);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join(JOIN_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
