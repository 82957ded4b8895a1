package io.sluice.perf.managed;

import io.aeron.AeronCounters;
import io.aeron.driver.status.StreamCounter;
import io.sluice.messaging.Transport;
import io.sluice.perf.nodes.PollingThread;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.status.CountersReader;

/**
 * Looks from outside at what each data link has put on the wire: the positions of the media driver's sender, read every
 * millisecond, poured into a bucket that leaks at the budget's rate. What the bucket held at most is by how much the
 * link exceeded its budget in the worst span of time.
 */
final class BudgetWatch implements AutoCloseable {
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Heartbeats and other control messages, which have no budget. */
    private static final int CONTROL_STREAM = 10;

    private static final double BITS = 8;
    private static final double NS = 1e9;

    private final CountersReader counters;
    private final long rate;
    private final Map<Long, Level> levels = new HashMap<>();
    private final PollingThread thread;
    private long beforeNs = System.nanoTime();

    /** Of one link. */
    private static final class Level {
        private long position;
        private double bytes;
        private double most;
    }

    /**
     * Begins to look.
     *
     * @param transport of the driver
     * @param rate      of each data link, bits per second
     */
    BudgetWatch(Transport transport, long rate) {
        this.counters = transport.aeron().countersReader();
        this.rate = rate;
        this.thread = new PollingThread("budget-watch", new SleepingIdleStrategy(PERIOD_NS), this::look);
    }

    private int look() {
        long nowNs = System.nanoTime();
        double leaked = rate * (nowNs - beforeNs) / NS / BITS;
        beforeNs = nowNs;
        levels.values().forEach(level -> level.bytes = Math.max(0, level.bytes - leaked));
        counters.forEach((id, type, key, label) -> {
            if (type == AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID
                    && key.getInt(StreamCounter.STREAM_ID_OFFSET) != CONTROL_STREAM) {
                look(key.getLong(StreamCounter.REGISTRATION_ID_OFFSET), counters.getCounterValue(id));
            }
        });
        return 0;
    }

    private void look(long link, long position) {
        Level level = levels.computeIfAbsent(link, fresh -> new Level());
        level.bytes += Math.max(0, position - level.position);
        level.position = Math.max(level.position, position);
        level.most = Math.max(level.most, level.bytes);
    }

    /** Ends, and returns by how many bytes the worst link exceeded its rate at most. */
    double stop() {
        close();
        return levels.values().stream().mapToDouble(level -> level.most).max().orElse(0);
    }

    /** Data links seen. */
    int links() {
        return levels.size();
    }

    @Override
    public void close() {
        thread.close();
    }
}
