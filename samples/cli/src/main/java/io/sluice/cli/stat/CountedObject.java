package io.sluice.cli.stat;

import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A link, inbox, agent or node with all its counters.
 *
 * @param first one of its counters, which identifies the object
 * @param counters counters by type and then by detail, which is empty for a counter without one
 */
record CountedObject(Entry first, Map<CounterType, Map<String, Long>> counters) {

    /** The identity of an object across readings. */
    record Id(CounterType.Scope scope, long ownerId, long registrationId, String name) {
        static Id of(Entry entry) {
            return new Id(
                    entry.type().scope(),
                    entry.ownerId(),
                    entry.key().registrationId(),
                    entry.key().name());
        }
    }

    /** All objects of a scope in a reading of the counters. */
    static List<CountedObject> of(CounterReading reading, CounterType.Scope scope) {
        Map<Id, CountedObject> objects = new LinkedHashMap<>();
        for (Entry entry : reading.entries()) {
            if (entry.type().scope() == scope) {
                objects.computeIfAbsent(Id.of(entry), _ -> new CountedObject(entry, new LinkedHashMap<>()))
                        .counters
                        .computeIfAbsent(entry.type(), _ -> new LinkedHashMap<>())
                        .put(entry.key().detail(), entry.value());
            }
        }
        return new ArrayList<>(objects.values());
    }

    Id id() {
        return Id.of(first);
    }

    String node() {
        return first.node();
    }

    String name() {
        return first.key().name();
    }

    /** The counter of a type, over all details. */
    long sum(CounterType type) {
        return counters.getOrDefault(type, Map.of()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** The counter of a type and detail; 0 if there is none. */
    long value(CounterType type, String detail) {
        return counters.getOrDefault(type, Map.of()).getOrDefault(detail, 0L);
    }
}
