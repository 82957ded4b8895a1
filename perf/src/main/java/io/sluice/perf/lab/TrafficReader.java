package io.sluice.perf.lab;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.console.UnavailableException;
import io.sluice.perf.lab.LinkTraffic.Direction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the kernel's counters of a lab of this or another process. It runs several commands, so the counters of
 * different links differ slightly in time.
 */
public final class TrafficReader {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BITS = 8;

    private final LabName lab;
    private final Map<String, Map<String, Direction>> directions = new HashMap<>();
    private final Map<String, Boolean> connected = new HashMap<>();

    private TrafficReader(LabName lab) {
        this.lab = lab;
    }

    /**
     * Reads all links of a lab: those of hosts, then those of racks.
     *
     * @param lab name of the lab
     * @throws UnavailableException if the lab does not exist any more
     */
    public static List<LinkTraffic> read(LabName lab) {
        return new TrafficReader(lab).read();
    }

    private List<LinkTraffic> read() {
        directions.put(lab.hub(), readDirections(lab.hub()));
        for (JsonNode device : parse(SystemCommand.run(List.of(), "ip", "-n", lab.hub(), "-j", "link", "show"))) {
            connected.put(device.path("ifname").asText(), isUp(device));
        }
        List<LinkTraffic> all = new ArrayList<>();
        LinkName host = LinkName.host(0);
        while (isThere(host)) {
            directions.put(lab.host(host.index()), readDirections(lab.host(host.index())));
            all.add(of(host));
            host = LinkName.host(host.index() + 1);
        }
        LinkName rack = LinkName.rack(0);
        while (isThere(rack)) {
            all.add(of(rack));
            rack = LinkName.rack(rack.index() + 1);
        }
        return all;
    }

    private boolean isThere(LinkName link) {
        return directions.get(lab.hub()).containsKey(Link.Wire.of(lab, link).downDevice());
    }

    private LinkTraffic of(LinkName link) {
        Link.Wire wire = Link.Wire.of(lab, link);
        Direction up = directions.get(wire.upNamespace()).get(wire.upDevice());
        Direction down = directions.get(wire.hub()).get(wire.downDevice());
        return new LinkTraffic(link.toString(), connected.get(wire.downDevice()), up, down);
    }

    private static boolean isUp(JsonNode device) {
        for (JsonNode flag : device.path("flags")) {
            if ("UP".equals(flag.asText())) {
                return true;
            }
        }
        return false;
    }

    private static Map<String, Direction> readDirections(String namespace) {
        Map<String, Direction> found = new HashMap<>();
        for (JsonNode queue : parse(SystemCommand.run(List.of(), "tc", "-n", namespace, "-s", "-j", "qdisc", "show"))) {
            if ("tbf".equals(queue.path("kind").asText())) {
                Direction direction = new Direction(
                        queue.path("options").path("rate").asLong() * BITS,
                        queue.path("bytes").asLong(),
                        queue.path("packets").asLong(),
                        queue.path("drops").asLong(),
                        queue.path("backlog").asLong());
                found.put(queue.path("dev").asText(), direction);
            }
        }
        return found;
    }

    private static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new UnavailableException("ip or tc printed invalid JSON: " + e.getOriginalMessage());
        }
    }
}
