package io.sluice.perf.exchange;

/**
 * What to run.
 *
 * @param workers worker threads, from 1
 * @param floats size of the table, from 1
 * @param kept share of elements that pass the filter of worker and server, 0 to 1
 * @param warmup clocks that are not recorded, 0 or more
 * @param clocks clocks that are, from 1
 */
public record ExchangeSettings(int workers, int floats, double kept, int warmup, int clocks) {
    /** Refuses values out of range. */
    public ExchangeSettings {
        require(workers >= 1, "workers", workers, "1 or more");
        require(floats >= 1, "floats", floats, "1 or more");
        require(kept >= 0 && kept <= 1, "kept", kept, "0 to 1");
        require(warmup >= 0, "warmup", warmup, "0 or more");
        require(clocks >= 1, "clocks", clocks, "1 or more");
    }

    /** Clocks that are run in all. */
    public int totalClocks() {
        return warmup + clocks;
    }

    private static void require(boolean sound, String name, Object value, String expected) {
        if (!sound) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + expected);
        }
    }
}
