package io.sluice.consistency.worker;

import io.sluice.consistency.spi.ConsistencyRule;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * The version that tables need in the open clock. The rule decides once per clock, from measurements of this worker, so
 * that sync and update agree. For the trainer's thread. Allocates nothing.
 */
final class RequiredVersion {
    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ConsistencyRule rule;
    private final TrainerCalls calls;
    private final List<Table> tables;
    private final WorkerStats stats;
    private final NanoClock clock;

    private long decided = -1;
    private long required;

    private long clockNs;
    private long waitNs;
    private double ownSeconds;

    private long version;
    private long versionNs;
    private double slowestSeconds;

    /** Starts before the first clock; {@code tables} has the declared tables once the worker has started. */
    RequiredVersion(ConsistencyRule rule, TrainerCalls calls, List<Table> tables, WorkerStats stats, NanoClock clock) {
        this.rule = rule;
        this.calls = calls;
        this.tables = tables;
        this.stats = stats;
        this.clock = clock;
        this.versionNs = clock.nanoTime();
    }

    /** Whether the rule has decided about the open clock. */
    boolean isDecided() {
        return calls.clock() == decided;
    }

    /** The version that the open clock needs. */
    long get() {
        long open = calls.clock();
        if (!isDecided()) {
            long nowNs = clock.nanoTime();
            arrived(nowNs);
            if (decided >= 0) {
                ownSeconds = (nowNs - clockNs - (stats.waitNs() - waitNs)) / SECOND / Math.max(1, open - decided);
            }
            clockNs = nowNs;
            waitNs = stats.waitNs();
            decided = open;
            long lowest = rule.requiredVersion(open);
            required = Math.clamp(
                    rule.requiredVersion(open, version, ownSeconds, slowestSeconds, (nowNs - versionNs) / SECOND),
                    lowest,
                    Math.max(lowest, open));
        }
        return required;
    }

    /** Whether a table has this version. */
    boolean isMetBy(Table table) {
        return table.version() >= get();
    }

    /** Whether all tables have this version. */
    boolean isMet() {
        for (int i = 0; i < tables.size(); i++) {
            if (!isMetBy(tables.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Looks for a new version; called when a wait ends, too. All tables pass their versions at about the same time. */
    void arrived(long nowNs) {
        long now = tables.getFirst().version();
        if (now > version) {
            slowestSeconds = version > 0 ? (nowNs - versionNs) / SECOND / (now - version) : 0;
            version = now;
            versionNs = nowNs;
        }
    }
}
