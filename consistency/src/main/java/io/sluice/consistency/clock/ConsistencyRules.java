package io.sluice.consistency.clock;

/** The rules by name, as command lines and the wire spell them. */
public final class ConsistencyRules {
    /** Staleness bound above which SSP is taken for a slip of the pen. */
    private static final int MAX_STALENESS = 1_000_000;

    private ConsistencyRules() {}

    /**
     * Finds a rule by name.
     *
     * @param name {@code bsp}, {@code ssp:S} with S from 0, or {@code tap}
     * @return the rule; {@code ssp:0} is BSP
     * @throws IllegalArgumentException if there is none of that name, saying which there are
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
        throw new IllegalArgumentException(
                "consistency is '" + name + "', expected bsp, tap, or ssp:S with S from 0 to " + MAX_STALENESS);
    }
}
