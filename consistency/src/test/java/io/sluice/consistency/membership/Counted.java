package io.sluice.consistency.membership;

import io.sluice.messaging.Transport;
import io.sluice.messaging.counters.CounterType;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.status.CountersReader;

/** Reads the counters of all processes of a media driver. */
final class Counted {
    private Counted() {}

    /** The sum of all counters of a type whose label contains a string. */
    static long of(Transport transport, CounterType type, String text) {
        AtomicLong sum = new AtomicLong();
        CountersReader reader = transport.counters().reader();
        reader.forEach((id, typeId, _, label) -> {
            if (type.typeId() == typeId && label.contains(text)) {
                sum.addAndGet(reader.getCounterValue(id));
            }
        });
        return sum.get();
    }
}
