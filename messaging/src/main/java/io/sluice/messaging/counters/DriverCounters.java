package io.sluice.messaging.counters;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

/**
 * Adds counters of the scope {@link CounterType.Scope#DRIVER}, which belong to a media driver and exist until it ends.
 */
public final class DriverCounters {
    private static final String NAME = "media driver";

    private final CountersManager counters;

    /**
     * Adds to the counters of a media driver.
     *
     * @param counters the driver's counters manager, which the calling thread may use
     */
    public DriverCounters(CountersManager counters) {
        this.counters = counters;
    }

    /**
     * Adds a counter.
     *
     * @param type type of the counter
     * @param detail detail of the counter; empty if it is the only one of its type
     * @return the counter, at 0
     */
    public AtomicCounter counter(CounterType type, String detail) {
        CounterKey key = CounterKey.here(0, 0, 0, NAME).withDetail(detail);
        UnsafeBuffer encoded = new UnsafeBuffer(new byte[CountersReader.MAX_KEY_LENGTH]);
        int length = key.encode(encoded);
        String label = Counters.label(type, key);
        return counters.newCounter(label, type.typeId(), buffer -> buffer.putBytes(0, encoded, 0, length));
    }
}
