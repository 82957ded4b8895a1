package io.sluice.consistency.membership;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Says who has yet to join, now and then while a cluster is not complete: whoever looks on sees whom it waits for. Used
 * by the coordinator's thread.
 */
final class Muster {
    /** Processes that are started together join within less, but for a machine that is very busy. */
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(10);

    private final Roster roster;
    private final Consumer<String> told;
    private long saidNs;
    private String said = "";

    /**
     * Begins to wait.
     *
     * @param roster of those who have joined
     * @param told   hears one sentence, again only when others are missing than before
     * @param nowNs  monotonic time
     */
    Muster(Roster roster, Consumer<String> told, long nowNs) {
        this.roster = roster;
        this.told = told;
        this.saidNs = nowNs;
    }

    void work(long nowNs) {
        if (nowNs - saidNs < INTERVAL_NS) {
            return;
        }
        saidNs = nowNs;
        String missing = roster.missing();
        if (!missing.equals(said)) {
            said = missing;
            told.accept("the cluster is not complete yet: it waits for " + missing + " to join");
        }
    }
}
