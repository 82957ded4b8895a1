package io.sluice.perf.urgency;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Outbox;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.perf.nodes.PollingThread;
import org.agrona.concurrent.BackoffIdleStrategy;

/** Sends waiting slices within the budget on a thread of its own, like a worker with an order. */
final class UrgencySender implements AutoCloseable {
    private final Link link;
    private final Outbox outbox;
    private final Pacing pacing;
    private final PollingThread thread;
    private int inHand = Outbox.NONE;

    UrgencySender(Link link, Outbox outbox, Pacing pacing) {
        this.link = link;
        this.outbox = outbox;
        this.pacing = pacing;
        thread = new PollingThread("urgency-sender", new BackoffIdleStrategy(10, 20, 1_000, 50_000), this::send);
    }

    private int send() {
        if (inHand == Outbox.NONE && link.room() > 0 && pacing.admits(UrgentSlices.LENGTH)) {
            inHand = outbox.take();
        }
        if (inHand == Outbox.NONE || !link.offer(outbox.frame(inHand).buffer(), 0, UrgentSlices.LENGTH)) {
            return 0;
        }
        pacing.onSent(UrgentSlices.LENGTH);
        outbox.release(inHand);
        inHand = Outbox.NONE;
        return 1;
    }

    @Override
    public void close() {
        thread.close();
    }
}
