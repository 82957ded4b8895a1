package io.sluice.cli.stat;

import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.CounterType.Scope;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The counters at one moment, and their change since an earlier moment. */
final class Sight {
    private final CounterReading reading;
    private final long atNs;
    private final Map<Scope, List<Thing>> things = new EnumMap<>(Scope.class);
    private final Map<Thing.Id, Thing> before = new HashMap<>();
    private final double seconds;

    /**
     * Makes a sight of a reading.
     *
     * @param reading values of the counters
     * @param atNs time of the reading
     * @param earlier an earlier sight, or null
     */
    Sight(CounterReading reading, long atNs, Sight earlier) {
        this.reading = reading;
        this.atNs = atNs;
        for (Scope scope : Scope.values()) {
            things.put(scope, Thing.of(reading, scope));
        }
        seconds = earlier == null ? 0 : (atNs - earlier.atNs) / 1e9;
        if (earlier != null) {
            earlier.things.values().forEach(all -> all.forEach(thing -> before.put(thing.id(), thing)));
        }
    }

    CounterReading reading() {
        return reading;
    }

    /** Whether nothing uses the driver. */
    boolean isIdle() {
        return reading.entries().stream().allMatch(entry -> entry.type().scope() == Scope.DRIVER);
    }

    List<Thing> all(Scope scope) {
        return things.get(scope);
    }

    /** Increase of a count per second since the earlier sight; NaN if the earlier sight did not contain the object. */
    double rate(Thing thing, CounterType type) {
        Thing earlier = before.get(thing.id());
        return earlier == null || seconds <= 0 ? Double.NaN : (thing.sum(type) - earlier.sum(type)) / seconds;
    }
}
