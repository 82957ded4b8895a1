package io.sluice.messaging.micrometer;

import io.aeron.AeronCounters;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterReading.SystemCounter;
import io.sluice.messaging.counters.CounterType.Meaning;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;

/**
 * The counters of a media driver as Micrometer meters, for programs that publish their metrics through a registry of
 * their own. Micrometer is an optional dependency, which the program must supply.
 *
 * <p>Sluice's counters are named {@code sluice.} plus the {@link io.sluice.messaging.counters.CounterType}'s words,
 * with the tags {@code node}, {@code name} (of the link, inbox or agent), {@code peer} (the far end of a link) and
 * {@code kind} (of frames, reason, class). Times are in seconds. Aeron's counters of the driver are {@code
 * aeron.driver} with the tag {@code counter}, those of a link or inbox are {@code aeron.naks.sent}, {@code
 * aeron.naks.received} and {@code aeron.in.log.bytes}.
 *
 * <p>Links open and close: call {@link #update} before each read of the registry. Safe for use by any thread.
 */
public final class DriverMetrics {
    private static final double NANOS = 1e9;

    private final MeterRegistry registry;
    private final Map<Name, Value> values = new HashMap<>();
    private long round;

    private record Name(String name, Tags tags) {}

    /** The value that a meter shows. */
    private static final class Value {
        private volatile double now;
        private Meter meter;
        private long round;
    }

    /**
     * Creates metrics for a registry, without meters at first.
     *
     * @param registry registry to which meters are added, and from which they are removed when their link, inbox or
     *     agent is closed
     */
    public DriverMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * Makes the registry show a reading.
     *
     * @param reading reading of {@link io.sluice.messaging.DriverView#read()}
     */
    public synchronized void update(CounterReading reading) {
        round++;
        for (Entry entry : reading.entries()) {
            put(entry);
            switch (entry.type()) {
                case LINK_STALLS -> {
                    long naks = reading.ofPublication(AeronCounters.DRIVER_SENDER_NAKS_RECEIVED_TYPE_ID, entry);
                    put("aeron.naks.received", tags(entry), true, naks);
                    put("aeron.in.log.bytes", tags(entry), false, reading.unsent(entry));
                }
                case INBOX_FRAMES_DEFERRED -> {
                    long naks = reading.ofImages(AeronCounters.DRIVER_RECEIVER_NAKS_SENT_TYPE_ID, entry);
                    put("aeron.naks.sent", tags(entry), true, naks);
                }
                default -> {}
            }
        }
        for (SystemCounter counter : reading.system().values()) {
            put("aeron.driver", Tags.of("counter", counter.label()), false, counter.value());
        }
        removeClosed();
    }

    private void put(Entry entry) {
        Meaning meaning = entry.type().meaning();
        String unit = meaning == Meaning.TIME || meaning == Meaning.NANOSECONDS ? ".seconds" : "";
        double scale = meaning == Meaning.COUNT || meaning == Meaning.GAUGE ? 1 : NANOS;
        String name = "sluice." + entry.type().name().toLowerCase(Locale.ROOT).replace('_', '.') + unit;
        put(name, tags(entry), meaning == Meaning.COUNT || meaning == Meaning.TIME, entry.value() / scale);
    }

    private static Tags tags(Entry entry) {
        return Tags.of(
                "node", entry.node(),
                "name", entry.key().name(),
                "peer", entry.peer(),
                "kind", entry.key().detail());
    }

    /**
     * Sets a value. Values with equal names add up, such as those of two processes that are worker 0 of different
     * clusters.
     */
    private void put(String name, Tags tags, boolean rises, double value) {
        Value held = values.computeIfAbsent(new Name(name, tags), _ -> new Value());
        held.now = held.round == round ? held.now + value : value;
        held.round = round;
        if (held.meter == null) {
            held.meter = rises
                    ? FunctionCounter.builder(name, held, shown -> shown.now)
                            .tags(tags)
                            .register(registry)
                    : Gauge.builder(name, held, shown -> shown.now).tags(tags).register(registry);
        }
    }

    private void removeClosed() {
        for (Iterator<Value> each = values.values().iterator(); each.hasNext(); ) {
            Value value = each.next();
            if (value.round != round) {
                registry.remove(value.meter);
                each.remove();
            }
        }
    }
}
