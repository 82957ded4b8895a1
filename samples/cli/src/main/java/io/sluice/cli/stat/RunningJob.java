package io.sluice.cli.stat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.CounterType.Scope;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The figures of a job from the counters of the media driver that its nodes use, from the first and the last of many
 * readings.
 * When a node starts, ends, or returns to an earlier clock, the first reading is the one that shows it.
 */
public final class RunningJob {
    private static final double NS = 1e9;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int PATIENCE = 10;

    private Sight first;
    private Sight last;

    RunningJob() {}

    /**
     * Watches the nodes of a driver.
     *
     * @param seconds time between the readings; up to ten times as long until a clock has ended
     * @return figures of a clock, by the names of the JSON of {@code sluice advise}
     * @throws UnavailableException if no worker uses the driver, or none has completed a clock in this time
     * @throws MessagingException if the driver ends meanwhile
     */
    public static ObjectNode watch(DriverView driver, double seconds) throws InterruptedException {
        RunningJob job = new RunningJob();
        long startNs = System.nanoTime();
        double passed = 0;
        while (passed < seconds || passed < PATIENCE * seconds && !(job.clocks() > 0)) {
            if (!driver.isAlive()) {
                throw new MessagingException("the media driver in " + driver.directory() + " has ended");
            }
            job.see(driver.read(), System.nanoTime());
            if (job.workers().isEmpty()) {
                throw new UnavailableException("no worker uses the media driver in " + driver.directory());
            }
            TimeUnit.NANOSECONDS.sleep(Math.min(POLL_NS, (long) (seconds * NS)));
            passed = (System.nanoTime() - startNs) / NS;
        }
        return job.figures();
    }

    /** Takes a reading. */
    void see(CounterReading reading, long nowNs) {
        Sight sight = new Sight(reading, nowNs, first);
        if (first == null || !nodes(sight).equals(nodes(last)) || hasGoneBack(new Sight(reading, nowNs, last))) {
            first = new Sight(reading, nowNs, null);
            sight = first;
        }
        last = sight;
    }

    private static Set<CountedObject.Id> nodes(Sight sight) {
        Set<CountedObject.Id> nodes = new HashSet<>();
        sight.all(Scope.NODE).forEach(node -> nodes.add(node.id()));
        return nodes;
    }

    private static boolean hasGoneBack(Sight sight) {
        return sight.all(Scope.NODE).stream().anyMatch(node -> sight.rate(node, CounterType.NODE_CLOCK) < 0);
    }

    private List<CountedObject> workers() {
        return nodes("worker ");
    }

    private List<CountedObject> nodes(String role) {
        return last == null
                ? List.of()
                : last.all(Scope.NODE).stream()
                        .filter(node -> node.name().startsWith(role))
                        .toList();
    }

    /** Clocks that all workers together complete in a second; NaN after one reading. */
    private double clocks() {
        return rate(CounterType.NODE_CLOCK);
    }

    /** The figures of a clock between the readings. */
    ObjectNode figures() {
        double clocks = clocks();
        int workers = workers().size();
        if (!(clocks > 0)) {
            throw new UnavailableException("no worker has completed a clock since the watch began, or since a node last"
                    + " started or ended; watch longer with --seconds");
        }
        double clock = workers / clocks;
        double push = each(CounterType.NODE_PUSH_TIME) / NS;
        double compute = Math.max(0, clock - push - each(CounterType.NODE_WAIT_TIME) / NS);
        double offered = each(CounterType.NODE_ELEMENTS_OFFERED);
        double kept = each(CounterType.NODE_ELEMENTS_KEPT) - each(CounterType.NODE_ELEMENTS_TAKEN_BACK);
        Predicate<CountedObject> pushes =
                link -> link.node().startsWith("worker ") && link.name().contains("to server ");
        double pushed = last.all(Scope.LINK).stream()
                        .filter(pushes)
                        .mapToDouble(link -> last.rate(link, CounterType.LINK_BYTES_SENT))
                        .filter(Double::isFinite)
                        .sum()
                / clocks;
        boolean network = last.all(Scope.LINK).stream()
                .filter(pushes)
                .anyMatch(link -> link.counters().containsKey(CounterType.LINK_IN_FLIGHT));
        ObjectNode figures = new ObjectMapper()
                .createObjectNode()
                .put("workers", workers)
                .put("servers", Math.max(1, nodes("server ").size()))
                .put("parameters", Math.max(1, Math.round(offered)))
                .put("transport", network ? "udp" : "ipc")
                .put("compute_seconds", compute)
                .put("push_seconds", push)
                .put("clock_seconds", clock)
                .put("pushed_bytes", pushed)
                .put("received_bytes", each(CounterType.NODE_BYTES_DECODED))
                .put("kept", offered > 0 ? Math.clamp(kept / offered, 0, 1) : 1);
        addTerms(figures);
        return figures;
    }

    /** Adds the terms that the coordinator has announced, from a worker's counters. */
    private void addTerms(ObjectNode figures) {
        int here = figures.get("workers").asInt();
        boolean isAnnounced = false;
        for (String term : workers()
                .getFirst()
                .counters()
                .getOrDefault(CounterType.NODE_TERM, Map.of())
                .keySet()) {
            int at = term.indexOf('=');
            if (at > 0 && !term.endsWith("~")) {
                figures.put(term.substring(0, at), term.substring(at + 1));
                isAnnounced |= term.startsWith("workers=");
            }
        }
        if (isAnnounced && figures.get("workers").asInt() == here) { // otherwise other hosts may have workers, too
            figures.put("cores", Runtime.getRuntime().availableProcessors());
        }
    }

    /** The increase of a count at a worker in a clock. */
    private double each(CounterType type) {
        return rate(type) / clocks();
    }

    private double rate(CounterType type) {
        return workers().stream().mapToDouble(worker -> last.rate(worker, type)).sum();
    }
}
