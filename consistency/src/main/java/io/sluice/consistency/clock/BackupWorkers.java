package io.sluice.consistency.clock;

import io.sluice.consistency.spi.ConsistencyRule;

/**
 * BSP with b backup workers: version t is complete when all but b workers have pushed round t (Chen, Pan, Monga,
 * Bengio, Jozefowicz 2016, Revisiting distributed synchronous SGD, section 3.2). That paper drops the late pushes of
 * stragglers; here they count in the next version.
 *
 * <p>A straggler does not wait until it has caught up, since the versions that it needs are complete. Which pushes are
 * in which version depends on timing, so runs are not reproducible bit for bit, but replicas at one version are
 * identical. Pushes after the last version stay at the server, as a residual does.
 *
 * <p>A lost worker counts as one that does not push: the number of required pushes stays, or drops to the number of
 * workers left.
 */
public final class BackupWorkers implements ConsistencyRule {
    private final int backups;

    /**
     * Creates the rule.
     *
     * @param backups b, from 1 (0 is {@link BulkSynchronous}); less than the number of workers
     */
    public BackupWorkers(int backups) {
        if (backups < 1) {
            throw new IllegalArgumentException("backups are " + backups + ", expected 1 or more (bsp is backup:0)");
        }
        this.backups = backups;
    }

    @Override
    public long requiredVersion(long clock) {
        return clock;
    }

    /** Waits for all workers at the start, because one of them has the first values. */
    @Override
    public boolean mayFinalise(long round, Clocks clocks, int slice) {
        if (0 == round) {
            return clocks.min(slice) >= 0;
        }
        int needed = Math.min(clocks.living(slice), clocks.workers() - backups);
        return clocks.livingAt(slice, round) >= needed;
    }

    @Override
    public long latestRound(long version) {
        return version + 1;
    }

    @Override
    public boolean isBounded() {
        return false;
    }

    @Override
    public int backups() {
        return backups;
    }

    @Override
    public String name() {
        return "backup:" + backups;
    }
}
