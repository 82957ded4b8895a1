package io.sluice.perf.bandwidth;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * What was estimated of one link. Rates are in bits per second on the wire, Ethernet headers included.
 *
 * @param rate            of the link
 * @param cross           of the traffic beside
 * @param available       the difference: what an estimate should be
 * @param passive         delivered rate, converted from bytes of the log
 * @param passiveError    its relative error; -1 to infinity
 * @param passiveSamples  that counted
 * @param activeLow       lower bound of the active search
 * @param activeHigh      upper bound
 * @param active          the middle of both
 * @param activeError     its relative error
 * @param activeEnd       why the search ended
 * @param activeBytes     that it sent
 * @param activeSeconds   that it took
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record BandwidthRow(
        long rate,
        long cross,
        long available,
        double passive,
        double passiveError,
        long passiveSamples,
        double activeLow,
        double activeHigh,
        double active,
        double activeError,
        String activeEnd,
        long activeBytes,
        double activeSeconds) {
    private static final double BITS = 8;

    /** Headers of Ethernet, IPv4 and UDP. */
    private static final double OVERHEAD = 42;

    private static final double NS_PER_SECOND = 1e9;

    /** From the answers of a {@link NearNode}. */
    static BandwidthRow of(long rate, long cross, String[] passive, String[] active) {
        long available = rate - cross;
        double mtu = Double.parseDouble(passive[3]);
        double delivered = BITS * Double.parseDouble(passive[1]) * (mtu + OVERHEAD) / mtu;
        double low = BITS * Double.parseDouble(active[1]);
        double high = BITS * Double.parseDouble(active[2]);
        double middle = (low + high) / 2;
        return new BandwidthRow(
                rate,
                cross,
                available,
                delivered,
                delivered / available - 1,
                Long.parseLong(passive[2]),
                low,
                high,
                middle,
                middle / available - 1,
                active[3],
                Long.parseLong(active[4]),
                Long.parseLong(active[6]) / NS_PER_SECOND);
    }
}
