package io.sluice.messaging.udp;

import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.Driver.UdpBatch;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.UnsafeBufferPosition;

/** The counters of a driver that is not running. */
final class CountersOfADriver {
    private static final int VALUES = 64 << 10;

    private final CountersManager manager = new CountersManager(memory(4 * VALUES), memory(VALUES));
    final UdpCounters udp = new UdpCounters(manager, UdpBatch.GSO);

    private static UnsafeBuffer memory(int length) {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, 64));
    }

    long value(CounterType type) {
        return CounterReading.of(manager).sum(type);
    }

    long value(CounterType type, String detail) {
        return CounterReading.of(manager).entries().stream()
                .filter(entry -> entry.type() == type && entry.key().detail().equals(detail))
                .mapToLong(Entry::value)
                .sum();
    }

    UnsafeBufferPosition position(long value) {
        int id = manager.allocate("position");
        UnsafeBufferPosition position = new UnsafeBufferPosition((UnsafeBuffer) manager.valuesBuffer(), id);
        position.set(value);
        return position;
    }
}
