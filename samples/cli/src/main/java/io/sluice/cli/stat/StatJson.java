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
        sight.all(Scope.DRIVER).forEach(object -> putCounters(about, object, Scope.DRIVER));
        SECTIONS.forEach((scope, name) -> {
            ArrayNode section = all.putArray(name);
            sight.all(scope).forEach(object -> put(section.addObject(), object, scope, sight.reading()));
        });
        return all.toString();
    }

    private static void put(ObjectNode row, CountedObject object, Scope scope, CounterReading reading) {
        row.put("node", object.node());
        row.put("name", object.name());
        row.put("process", Integer.toUnsignedLong(object.first().key().processId()));
        if (scope == Scope.LINK) {
            row.put("peer", object.first().peer());
            row.put("session", object.first().key().sessionId());
            row.put("stream", object.first().key().streamId());
            row.put("in_log", reading.unsent(object.first()));
            row.put(
                    "naks_received",
                    reading.ofPublication(AeronCounters.DRIVER_SENDER_NAKS_RECEIVED_TYPE_ID, object.first()));
        } else if (scope == Scope.INBOX) {
            row.put("stream", object.first().key().streamId());
            row.put("senders", reading.images(object.first()));
            row.put("naks_sent", reading.ofImages(AeronCounters.DRIVER_RECEIVER_NAKS_SENT_TYPE_ID, object.first()));
        }
        putCounters(row, object, scope);
    }

    private static void putCounters(ObjectNode row, CountedObject object, Scope scope) {
        String prefix = scope.name() + "_";
        object.counters().forEach((type, details) -> {
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
