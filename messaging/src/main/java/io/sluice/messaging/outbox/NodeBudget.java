package io.sluice.messaging.outbox;

import io.sluice.messaging.Link;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.flow.TokenBucket;
import org.agrona.concurrent.NanoClock;

/**
 * The budgets of a node: one for each of its links and one for all of them together. They count the bytes that data
 * links write to their logs: frames with Aeron's headers and alignment. They leave out the headers of UDP, IP and
 * Ethernet (46 bytes or more per datagram), retransmissions and control messages.
 *
 * <p>For the one thread that sends on all these links; if several threads do, each has {@linkplain #forAnotherThread()
 * its own object}. They share the budget: pushes and broadcasts alternate, so fixed parts would leave half of it unused
 * most of the time.
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
     * @param perLink  budget of each link
     * @param together budget of all links together
     * @param clock    clock of the buckets
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
     * The same budget, for links of another thread: all links together keep the common budget. Call it before any of
     * the threads sends.
     *
     * @return the budget object of that thread
     */
    public NodeBudget forAnotherThread() {
        return new NodeBudget(perLink, together, shared, null == shared ? new Turns() : turns, clock);
    }

    /**
     * Paces a link within this budget.
     *
     * @param link    link to pace
     * @param longest length of the longest frame that it will carry, in bytes
     * @param window  bound on the bytes in flight; null for no bound
     * @return the pacing of the link
     * @throws IllegalArgumentException if that frame is longer than a burst and so could never be sent
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
