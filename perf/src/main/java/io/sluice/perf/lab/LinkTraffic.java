package io.sluice.perf.lab;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * The traffic of a link since it was created, as the kernel's queueing discipline counts it: in frames of the wire,
 * even where the kernel passes several as one.
 *
 * @param link name of the link
 * @param connected whether the link is up, not cut
 * @param up direction into the network
 * @param down direction to the host or rack
 */
public record LinkTraffic(String link, boolean connected, Direction up, Direction down) {
    /**
     * One direction.
     *
     * @param rateBits rate in bits per second
     * @param bytes bytes carried, Ethernet headers included
     * @param packets packets carried
     * @param dropped packets that found the queue full
     * @param waitingBytes bytes in the queue now
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    public record Direction(long rateBits, long bytes, long packets, long dropped, long waitingBytes) {}
}
