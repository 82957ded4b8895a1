package io.sluice.messaging.outbox;

import io.sluice.messaging.Link;
import io.sluice.messaging.flow.TokenBucket;
import org.agrona.concurrent.NanoClock;

/**
 * What one node may send: a budget for each of its links and one for all of them together. Counted are the bytes that
 * data links put into their logs: frames with Aeron's headers and alignment, but neither what UDP, IP and Ethernet add
 * to each datagram (46 bytes or more), nor retransmissions, nor control messages.
 *
 * <p>For the one thread that sends on all these links; where several do, each paces its own by a
 * {@linkplain #forAnotherThread() part of its own}. What is left by one is there for the other: pushes and broadcasts
 * follow one another, so a fixed part for each would leave half of the budget unused at most times.
 */
public final class NodeBudget {
    private final Budget perLink;
    private final Budget together;
    private final TokenBucket shared;
    private final Turns turns;
    private final int thread;
    private final NanoClock clock;

    /**
     * Opens a budget.
     *
     * @param perLink  of each link
     * @param together of all links
     * @param clock    by which buckets leak
     */
    public NodeBudget(Budget perLink, Budget together, NanoClock clock) {
        this(perLink, together, bucket(together), new Turns(), clock);
    }

    private NodeBudget(Budget perLink, Budget together, TokenBucket shared, Turns turns, NanoClock clock) {
        this.perLink = perLink;
        this.together = together;
        this.shared = shared;
        this.turns = turns;
        this.thread = turns.join();
        this.clock = clock;
    }

    /**
     * The same budget, for links on which another thread sends: all links together keep what is set for all. To be
     * called before any of the threads sends.
     *
     * @return what paces the links of that thread
     */
    public NodeBudget forAnotherThread() {
        return new NodeBudget(perLink, together, shared, null == shared ? new Turns() : turns, clock);
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
        requireFits("link", perLink, bytes);
        requireFits("node", together, bytes);
        return new Pacing(link, clock, bucket(perLink), shared, turns, thread, window);
    }

    private static TokenBucket bucket(Budget budget) {
        return budget.isBound() ? new TokenBucket(budget.rate(), budget.burst()) : null;
    }

    private static void requireFits(String whose, Budget budget, int bytes) {
        if (budget.isBound() && budget.burst() < bytes) {
            throw new IllegalArgumentException(
                    whose + " burst is " + budget.burst() + " bytes, but the longest frame takes " + bytes
                            + " with Aeron's headers: expected that or more, or smaller slices");
        }
    }
}
