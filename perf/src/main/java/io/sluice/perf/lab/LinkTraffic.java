package io.sluice.perf.lab;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * What a link has carried since it was made, as the kernel counted it where the rate is kept: frames as they would be
 * on a wire, also where the kernel handed several of them over as one.
 *
 * @param link its name
 * @param connected whether it is whole, not cut
 * @param up into the network
 * @param down to the host or rack
 */
public record LinkTraffic(String link, boolean connected, Direction up, Direction down) {
    /**
     * One direction.
     *
     * @param rateBits bits per second it may carry now
     * @param bytes carried, Ethernet headers included
     * @param packets carried
     * @param dropped packets that found the queue full
     * @param waitingBytes in the queue now
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    public record Direction(long rateBits, long bytes, long packets, long dropped, long waitingBytes) {}
}
