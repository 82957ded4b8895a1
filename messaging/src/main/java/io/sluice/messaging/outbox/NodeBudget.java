package io.sluice.messaging.outbox;

import io.sluice.messaging.Link;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NanoClock;

/**
 * What one node may send: a budget for each of its links and one for all of them together. Counted are the bytes that
 * data links put into their logs: frames with Aeron's headers and alignment, but neither what UDP, IP and Ethernet add
 * to each datagram (46 bytes or more), nor retransmissions, nor control messages.
 *
 * <p>For the one thread that sends on all these links.
 */
public final class NodeBudget {
    private final Budget perLink;
    private final Budget together;
    private final LeakyBucket shared;
    private final NanoClock clock;

    /**
     * Opens a budget.
     *
     * @param perLink  of each link
     * @param together of all links
     * @param clock    by which buckets leak
     */
    public NodeBudget(Budget perLink, Budget together, NanoClock clock) {
        this.perLink = perLink;
        this.together = together;
        this.shared = together.isBound() ? new LeakyBucket(together.rate(), together.burst()) : null;
        this.clock = clock;
    }

    /**
     * Paces a link within this budget.
     *
     * @param link    to pace
     * @param longest frame that it will carry, in bytes
     * @param window  of bytes on their way; null for no bound
     * @return the pacing of the link
     * @throws IllegalArgumentException if that frame is longer than a burst: it could never be sent
     */
    public Pacing pace(Link link, int longest, FlightWindow window) {
        int bytes = link.lengthInLog(longest);
        List<LeakyBucket> buckets = new ArrayList<>();
        if (perLink.isBound()) {
            requireFits("link", perLink, bytes);
            buckets.add(new LeakyBucket(perLink.rate(), perLink.burst()));
        }
        if (shared != null) {
            requireFits("node", together, bytes);
            buckets.add(shared);
        }
        return new Pacing(link, clock, buckets.toArray(LeakyBucket[]::new), window);
    }

    private static void requireFits(String whose, Budget budget, int bytes) {
        if (budget.burst() < bytes) {
            throw new IllegalArgumentException(
                    whose + " burst is " + budget.burst() + " bytes, but the longest frame takes " + bytes
                            + " with Aeron's headers: expected that or more, or smaller slices");
        }
    }
}
