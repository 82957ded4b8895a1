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
    private final Map<Scope, List<CountedObject>> objects = new EnumMap<>(Scope.class);
    private final Map<CountedObject.Id, CountedObject> before = new HashMap<>();
    private final double seconds;

    /**
     * Creates a sight of a reading.
     *
     * @param reading values of the counters
     * @param atNs time of the reading
     * @param earlier an earlier sight, or null
     */
    Sight(CounterReading reading, long atNs, Sight earlier) {
        this.reading = reading;
        this.atNs = atNs;
        for (Scope scope : Scope.values()) {
            objects.put(scope, CountedObject.of(reading, scope));
        }
        seconds = earlier == null ? 0 : (atNs - earlier.atNs) / 1e9;
        if (earlier != null) {
            earlier.objects.values().forEach(all -> all.forEach(object -> before.put(object.id(), object)));
        }
    }

    CounterReading reading() {
        return reading;
    }

    /** Whether nothing uses the driver. */
    boolean isIdle() {
        return reading.entries().stream().allMatch(entry -> entry.type().scope() == Scope.DRIVER);
    }

    List<CountedObject> all(Scope scope) {
        return objects.get(scope);
    }

    /** Increase of a count per second since the earlier sight; NaN if the earlier sight did not contain the object. */
    double rate(CountedObject object, CounterType type) {
        CountedObject earlier = before.get(object.id());
        return earlier == null || seconds <= 0 ? Double.NaN : (object.sum(type) - earlier.sum(type)) / seconds;
    }
}
