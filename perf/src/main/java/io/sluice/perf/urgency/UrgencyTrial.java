package io.sluice.perf.urgency;

import io.sluice.console.UnavailableException;
import io.sluice.messaging.Link;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Outbox;
import io.sluice.messaging.outbox.SliceOrders;
import io.sluice.perf.experiment.Sample;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.SystemNanoClock;

/** Queues slices on a link, then an urgent one, and measures when that arrives, for one order. */
final class UrgencyTrial {
    /** Number of slices that arrive before the urgent one is handed over, so that the link is busy. */
    private static final int UNDER_WAY = 40;

    private static final long PATIENCE_NS = 60_000_000_000L;
    private static final long POLL_NS = 200_000;
    private static final double NS_PER_MS = 1e6;

    private final UrgencyPath path;
    private final int slices;

    UrgencyTrial(UrgencyPath path, int slices) {
        this.path = path;
        this.slices = slices;
    }

    /**
     * Runs the trial once.
     *
     * @param run    number over all orders
     * @param sample receives the time and the queued bytes
     * @return the sample
     */
    Sample run(String order, int run, Sample sample) {
        Outbox outbox = UrgentSlices.newOutbox(slices + UNDER_WAY + 1);
        UrgentSlices source = new UrgentSlices(outbox, SliceOrders.named(order));
        for (int slice = 0; slice < slices + UNDER_WAY; slice++) {
            source.publish(UrgentSlices.OTHER, slice);
        }
        Link link = path.link();
        Budget budget = new Budget(path.budgetRate(), link.lengthInLog(UrgentSlices.LENGTH));
        NodeBudget node = new NodeBudget(budget, Budget.NONE, SystemNanoClock.INSTANCE);
        UrgencyReceiver receiver = path.receiver();
        long before = receiver.frames();
        try (UrgencySender _ = new UrgencySender(link, outbox, node.pace(link, UrgentSlices.LENGTH, null))) {
            await("slices are in flight", () -> receiver.frames() >= before + UNDER_WAY);
            sample.figure("queued_bytes", (double) outbox.backlog() * UrgentSlices.LENGTH);
            long startNs = System.nanoTime();
            source.publish(UrgentSlices.URGENT, run);
            await("the urgent slice has arrived", () -> receiver.has(run));
            sample.figure("ms", (receiver.urgentAtNs() - startNs) / NS_PER_MS);
            await("all slices have arrived", () -> receiver.frames() >= before + slices + UNDER_WAY + 1);
            return sample;
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > PATIENCE_NS) {
                throw new UnavailableException("not reached within 60 s: " + what);
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }
}
