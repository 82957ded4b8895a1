package io.sluice.perf.urgency;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Budget;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Outbox;
import io.sluice.messaging.outbox.SliceOrders;
import io.sluice.perf.UnavailableException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.SystemNanoClock;

/** Queues slices on a link, then an urgent one, and takes the time until that is there; for one order. */
final class UrgencyTrial {
    /** Slices that have arrived before the urgent one is handed over: the link is busy then. */
    private static final int UNDER_WAY = 40;

    private static final long PATIENCE_NS = 60_000_000_000L;
    private static final long POLL_NS = 200_000;
    private static final double NS_PER_MS = 1e6;

    private final UrgencyPath path;
    private final int slices;
    private final List<Double> latencies = new ArrayList<>();
    private long least = Long.MAX_VALUE;

    UrgencyTrial(UrgencyPath path, int slices) {
        this.path = path;
        this.slices = slices;
    }

    /** Runs it once; runs are numbered over all orders. */
    void run(String order, int run) {
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
            await("slices are under way", () -> receiver.frames() >= before + UNDER_WAY);
            least = Math.min(least, (long) outbox.backlog() * UrgentSlices.LENGTH);
            long startNs = System.nanoTime();
            source.publish(UrgentSlices.URGENT, run);
            await("the urgent slice is there", () -> receiver.has(run));
            latencies.add((receiver.urgentAtNs() - startNs) / NS_PER_MS);
            await("all slices are there", () -> receiver.frames() >= before + slices + UNDER_WAY + 1);
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > PATIENCE_NS) {
                throw new UnavailableException("waited 60 s in vain: " + what);
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    UrgencyRow row(String order, long linkRate) {
        Collections.sort(latencies);
        double median = latencies.get(latencies.size() / 2);
        double sliceMs = path.sliceMs(linkRate);
        return new UrgencyRow(
                order,
                least,
                linkRate,
                path.budgetRate(),
                sliceMs,
                latencies.size(),
                median,
                latencies.getLast(),
                median / sliceMs);
    }
}
