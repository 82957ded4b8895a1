package io.sluice.consistency.membership;

import io.sluice.messaging.Patience;
import java.util.function.Consumer;

/**
 * Says who has yet to join, now and then while a cluster is not complete: whoever looks on sees whom it waits for. Used
 * by the coordinator's thread.
 */
final class Muster {
    private final Roster roster;
    private final Patience patience;

    /**
     * Begins to wait.
     *
     * @param roster of those who have joined
     * @param told   hears the sentences
     * @param nowNs  monotonic time
     */
    Muster(Roster roster, Consumer<String> told, long nowNs) {
        this.roster = roster;
        this.patience = new Patience("the cluster is not complete: it", Patience.UNLIMITED, told, nowNs);
    }

    void work(long nowNs) {
        if (patience.isTime(nowNs)) {
            patience.tell(roster.missing() + " to join", nowNs);
        }
    }
}
