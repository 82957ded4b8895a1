package io.sluice.consistency.server;

import io.sluice.consistency.feedback.LinkFeedback;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.messaging.outbox.LinkWatch;
import java.util.List;

/**
 * Reports to the feedback when a round of the server is over, and how long the round took without the time in which the
 * server had frames to send. What remains is the time in which workers compute and push. If the time of sending
 * counted, a slow network would cause long rounds, and long rounds would cause large budgets.
 *
 * <p>A relay reads whether or not its trainer computes. So a relay that has not read waits for its own links, and that
 * time does not count as computing. A leaf that has not read is computing. The server has no data on the contents of a
 * relay's ring.
 */
final class RoundTimer {
    private final LinkFeedback feedback;
    private final List<LinkWatch> watches;
    private final boolean[] toRelays;
    private final boolean[] givenUp;
    private boolean started;
    private long version;
    private long lastNs;
    private long ownNs;

    /**
     * Starts before the first round.
     *
     * @param feedback receives the reports
     * @param watches watches of the links on which the server broadcasts
     * @param toRelays whether the receiver is a relay, by link
     */
    RoundTimer(LinkFeedback feedback, List<LinkWatch> watches, boolean[] toRelays) {
        this.feedback = feedback;
        this.watches = watches;
        this.toRelays = toRelays;
        this.givenUp = new boolean[watches.size()];
    }

    /** Creates the timer of a server that broadcasts, whose filters adapt to the measurements. */
    static RoundTimer of(ClusterSettings settings, Broadcasting broadcasting, SettableFeedback measured) {
        Policies.Needs needs = Policies.needs(settings, TableTerms::broadcastFilter);
        List<LinkWatch> watches = broadcasting.watches();
        LinkFeedback linkFeedback = new LinkFeedback(
                watches.stream().map(LinkWatch::rate).toList(),
                broadcasting.routes(),
                settings.budgetedBytesPerSecond(Math.max(1, watches.size())),
                needs.leastRate() / Byte.SIZE,
                needs.followsRate(),
                measured);
        return new RoundTimer(linkFeedback, watches, broadcasting.toRelays());
    }

    /** Called in every duty cycle; {@code reached} is the last finalised round, -1 before the first. */
    void onCycle(long nowNs, long reached) {
        if (started && !isSending()) {
            ownNs += nowNs - lastNs;
        }
        lastNs = nowNs;
        if (reached > version && reached > 1) { // earlier rounds include the start of workers
            feedback.onClock(nowNs, ownNs / (reached - version));
        }
        if (reached > version || !started) {
            ownNs = 0;
            version = reached;
        }
        started = true;
    }

    /** Ignores a link whose receivers have left, because it would always count as sending. */
    void giveUp(int link) {
        givenUp[link] = true;
    }

    private boolean isSending() {
        for (int i = 0; i < watches.size(); i++) {
            LinkWatch watch = watches.get(i);
            if (!givenUp[i] && (watch.isSending() || toRelays[i] && watch.isUnread())) {
                return true;
            }
        }
        return false;
    }
}
