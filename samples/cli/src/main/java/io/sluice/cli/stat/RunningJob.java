package io.sluice.cli.stat;

import io.sluice.cli.advise.Known;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.CounterType.Scope;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** What the counters of a media driver say of the job whose nodes use it, from two readings. */
public final class RunningJob {
    private static final double NS = 1e9;

    private final Sight sight;
    private final List<Thing> workers;

    /** Clocks that all workers together complete in a second. */
    private final double clocks;

    private RunningJob(Sight sight, List<Thing> workers) {
        this.sight = sight;
        this.workers = workers;
        clocks = rate(CounterType.NODE_CLOCK);
    }

    /**
     * Watches the nodes of a driver.
     *
     * @param seconds time between the readings
     * @throws UnavailableException if no worker uses the driver, or none has completed a clock in this time
     */
    public static Known watch(DriverView driver, double seconds) throws InterruptedException {
        Sight first = new Sight(driver.read(), System.nanoTime(), null);
        TimeUnit.NANOSECONDS.sleep((long) (seconds * NS));
        if (!driver.isAlive()) {
            throw new MessagingException("the media driver in " + driver.directory() + " is gone");
        }
        Sight sight = new Sight(driver.read(), System.nanoTime(), first);
        List<Thing> workers = nodes(sight, "worker ");
        if (workers.isEmpty()) {
            throw new UnavailableException("no worker uses the media driver in " + driver.directory());
        }
        RunningJob job = new RunningJob(sight, workers);
        if (!(job.clocks > 0)) {
            throw new UnavailableException(
                    "no worker has completed a clock in " + seconds + " s; watch longer with --seconds");
        }
        return job.known();
    }

    private static List<Thing> nodes(Sight sight, String role) {
        return sight.all(Scope.NODE).stream()
                .filter(node -> node.name().startsWith(role))
                .toList();
    }

    private Known known() {
        double clock = workers.size() / clocks;
        double push = each(CounterType.NODE_PUSH_TIME) / NS;
        double compute = Math.max(0, clock - push - each(CounterType.NODE_WAIT_TIME) / NS);
        double offered = each(CounterType.NODE_ELEMENTS_OFFERED);
        double kept = each(CounterType.NODE_ELEMENTS_KEPT) - each(CounterType.NODE_ELEMENTS_TAKEN_BACK);
        Predicate<Thing> pushes =
                link -> link.node().startsWith("worker ") && link.name().contains("to server ");
        double pushed = sight.all(Scope.LINK).stream()
                        .filter(pushes)
                        .mapToDouble(link -> sight.rate(link, CounterType.LINK_BYTES_SENT))
                        .sum()
                / clocks;
        boolean network = sight.all(Scope.LINK).stream()
                .filter(pushes)
                .anyMatch(link -> link.counters().containsKey(CounterType.LINK_IN_FLIGHT));
        return new Known(
                workers.size(),
                Math.max(1, nodes(sight, "server ").size()),
                Math.max(1, Math.round(offered)),
                !network,
                compute,
                push,
                clock,
                pushed,
                each(CounterType.NODE_BYTES_DECODED),
                offered > 0 ? Math.clamp(kept / offered, 0, 1) : null,
                null,
                null,
                null,
                null,
                null);
    }

    /** The increase of a count at a worker in a clock. */
    private double each(CounterType type) {
        return rate(type) / clocks;
    }

    private double rate(CounterType type) {
        return workers.stream().mapToDouble(worker -> sight.rate(worker, type)).sum();
    }
}
