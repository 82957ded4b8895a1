package io.sluice.perf.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.console.UnavailableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/**
 * The traffic of a link since it was created, as the kernel's queueing discipline counts it: in frames of the wire,
 * even if the kernel passes several as one.
 *
 * @param connected whether the link is up, not cut
 * @param up        direction into the network
 * @param down      direction to the host or rack
 */
public record LinkTraffic(String link, boolean connected, Direction up, Direction down) {
    /**
     * One direction.
     *
     * @param bytes        bytes carried, Ethernet headers included
     * @param dropped      packets that found the queue full
     * @param waitingBytes bytes in the queue now
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    public record Direction(long rateBits, long bytes, long packets, long dropped, long waitingBytes) {}

    /**
     * Reads all links of a lab of this or another process: those of hosts, then those of racks. It runs several
     * commands, so the counters of different links differ slightly in time.
     *
     * @throws UnavailableException if the lab no longer exists
     */
    public static List<LinkTraffic> read(LabName lab) {
        return new Reader(lab).read();
    }

    private static final class Reader {
        private final LabName lab;
        private final Map<String, Map<String, Direction>> directions = new HashMap<>();
        private final Map<String, Boolean> connected = new HashMap<>();

        Reader(LabName lab) {
            this.lab = lab;
        }

        List<LinkTraffic> read() {
            directions.put(lab.hub(), readDirections(lab.hub()));
            for (JsonNode device : SystemCommand.json("ip", "-n", lab.hub(), "-j", "link", "show")) {
                boolean up = StreamSupport.stream(device.path("flags").spliterator(), false)
                        .anyMatch(flag -> "UP".equals(flag.asText()));
                connected.put(device.path("ifname").asText(), up);
            }
            List<LinkTraffic> all = new ArrayList<>();
            for (int host = 0; isThere(LinkName.host(host)); host++) {
                directions.put(lab.host(host), readDirections(lab.host(host)));
                all.add(of(LinkName.host(host)));
            }
            for (int rack = 0; isThere(LinkName.rack(rack)); rack++) {
                all.add(of(LinkName.rack(rack)));
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

        private static Map<String, Direction> readDirections(String namespace) {
            Map<String, Direction> found = new HashMap<>();
            for (JsonNode queue : SystemCommand.json("tc", "-n", namespace, "-s", "-j", "qdisc", "show")) {
                if ("tbf".equals(queue.path("kind").asText())) {
                    Direction direction = new Direction(
                            queue.path("options").path("rate").asLong() * Byte.SIZE,
                            queue.path("bytes").asLong(),
                            queue.path("packets").asLong(),
                            queue.path("drops").asLong(),
                            queue.path("backlog").asLong());
                    found.put(queue.path("dev").asText(), direction);
                }
            }
            return found;
        }
    }
}
