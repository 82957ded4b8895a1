package io.sluice.cli.stat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.aeron.AeronCounters;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType.Scope;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Prints all counters as one JSON object in one line, for programs. Values are those of the counters, without rates.
 */
final class StatJson {
    private static final Map<Scope, String> SECTIONS = new EnumMap<>(
            Map.of(Scope.LINK, "links", Scope.INBOX, "inboxes", Scope.AGENT, "agents", Scope.NODE, "nodes"));

    private final ObjectMapper mapper = new ObjectMapper();

    String line(DriverView driver, Sight sight) {
        ObjectNode all = mapper.createObjectNode();
        all.put("time_ms", System.currentTimeMillis());
        ObjectNode about = all.putObject("driver");
        about.put("directory", driver.directory().toString());
        about.put("process", driver.processId());
        about.put("start_ms", driver.startMs());
        ObjectNode system = about.putObject("counters");
        sight.reading().system().values().forEach(counter -> system.put(counter.label(), counter.value()));
        sight.all(Scope.DRIVER).forEach(thing -> putCounters(about, thing, Scope.DRIVER));
        SECTIONS.forEach((scope, name) -> {
            ArrayNode section = all.putArray(name);
            sight.all(scope).forEach(thing -> put(section.addObject(), thing, scope, sight.reading()));
        });
        return all.toString();
    }

    private static void put(ObjectNode row, Thing thing, Scope scope, CounterReading reading) {
        row.put("node", thing.node());
        row.put("name", thing.name());
        row.put("process", Integer.toUnsignedLong(thing.first().key().processId()));
        if (scope == Scope.LINK) {
            row.put("peer", thing.first().peer());
            row.put("session", thing.first().key().sessionId());
            row.put("stream", thing.first().key().streamId());
            row.put("in_log", reading.unsent(thing.first()));
            row.put(
                    "naks_received",
                    reading.ofPublication(AeronCounters.DRIVER_SENDER_NAKS_RECEIVED_TYPE_ID, thing.first()));
        } else if (scope == Scope.INBOX) {
            row.put("stream", thing.first().key().streamId());
            row.put("senders", reading.images(thing.first()));
            row.put("naks_sent", reading.ofImages(AeronCounters.DRIVER_RECEIVER_NAKS_SENT_TYPE_ID, thing.first()));
        }
        putCounters(row, thing, scope);
    }

    private static void putCounters(ObjectNode row, Thing thing, Scope scope) {
        String prefix = scope.name() + "_";
        thing.counters().forEach((type, details) -> {
            String name = type.name().substring(prefix.length()).toLowerCase(Locale.ROOT);
            if (details.containsKey("")) {
                row.put(name, details.get(""));
            } else {
                ObjectNode byDetail = row.putObject(name);
                details.forEach(byDetail::put);
            }
        });
    }
}
