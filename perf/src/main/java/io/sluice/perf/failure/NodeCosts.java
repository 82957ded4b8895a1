package io.sluice.perf.failure;

import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Snapshot counters of the nodes of a media driver. */
final class NodeCosts {
    private static final long LOOK_MS = 100;

    /** Time without writing after which nodes count as idle. */
    private static final long QUIET_MS = 1_500;

    private static final long PATIENCE_MS = TimeUnit.MINUTES.toMillis(2);

    private NodeCosts() {}

    static Map<String, Long> of(Path driver, CounterType type) {
        try (DriverView view = DriverView.open(driver)) {
            return of(view.read(), type);
        }
    }

    private static Map<String, Long> of(CounterReading reading, CounterType type) {
        Map<String, Long> values = new TreeMap<>();
        reading.entries().stream()
                .filter(entry -> entry.type() == type)
                .forEach(entry -> values.merge(entry.node(), entry.value(), Long::sum));
        return values;
    }

    /** Minimum number of snapshots that a node has written; 0 without nodes. */
    static long snapshots(Path driver, int nodes) {
        Map<String, Long> saved = of(driver, CounterType.NODE_SNAPSHOTS);
        return saved.size() < nodes
                ? 0
                : saved.values().stream().mapToLong(Long::longValue).min().orElse(0);
    }

    /** Waits until nodes no longer write. */
    static void awaitQuiet(Path driver) throws InterruptedException {
        long begunNs = System.nanoTime();
        long sinceNs = begunNs;
        Map<String, Long> last = Map.of();
        while (ms(sinceNs) < QUIET_MS && ms(begunNs) < PATIENCE_MS) {
            Map<String, Long> now = of(driver, CounterType.NODE_SNAPSHOT_BYTES);
            if (!now.equals(last)) {
                sinceNs = System.nanoTime();
                last = now;
            }
            Thread.sleep(LOOK_MS);
        }
    }

    private static long ms(long sinceNs) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNs);
    }
}
