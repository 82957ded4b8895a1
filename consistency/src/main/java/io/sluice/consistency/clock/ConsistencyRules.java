package io.sluice.consistency.clock;

/** The rules by name, as on command lines and in frames. */
public final class ConsistencyRules {
    /** Staleness bound above which SSP is refused as a typing error. */
    private static final int MAX_STALENESS = 1_000_000;

    /** Bound of B, above the number of workers of any cluster. */
    private static final int MAX_BACKUPS = 4_095;

    private ConsistencyRules() {}

    /**
     * Finds a rule by name.
     *
     * @param name {@code bsp}, {@code ssp:S} with S from 0, {@code tap}, or {@code backup:B} with B from 0
     * @return the rule; {@code ssp:0} and {@code backup:0} are BSP
     * @throws IllegalArgumentException if no rule has that name; the message lists the names
     */
    public static ConsistencyRule named(String name) {
        if ("bsp".equals(name)) {
            return new BulkSynchronous();
        }
        if ("tap".equals(name)) {
            return new TotallyAsynchronous();
        }
        if (name.matches("ssp:[0-9]{1,7}")) {
            int staleness = Integer.parseInt(name.substring(4));
            if (staleness <= MAX_STALENESS) {
                return 0 == staleness ? new BulkSynchronous() : new StaleSynchronous(staleness);
            }
        }
        if (name.matches("backup:[0-9]{1,4}")) {
            int backups = Integer.parseInt(name.substring(7));
            if (backups <= MAX_BACKUPS) {
                return 0 == backups ? new BulkSynchronous() : new BackupWorkers(backups);
            }
        }
        throw new IllegalArgumentException("consistency is '" + name + "', expected bsp, tap, ssp:S with S from 0 to "
                + MAX_STALENESS + ", or backup:B with B from 0 to " + MAX_BACKUPS);
    }
}
