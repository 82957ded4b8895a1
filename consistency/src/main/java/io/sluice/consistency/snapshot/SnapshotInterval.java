package io.sluice.consistency.snapshot;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The interval between snapshots.
 *
 * @param clocks    clocks between two snapshots; 0 to derive the interval from their cost
 * @param betweenNs mean time between failures of the cluster, in nanoseconds; 0 if it does not matter
 */
public record SnapshotInterval(long clocks, long betweenNs) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})|auto(?::(\\d{1,6})([smhd]))?");
    private static final long DEFAULT_BETWEEN_NS = TimeUnit.DAYS.toNanos(1);

    /**
     * Reads an interval from a command line.
     *
     * @param text {@code N} clocks, {@code auto}, or {@code auto:6h} with a mean time between failures in s, m, h or d
     * @return the interval
     * @throws IllegalArgumentException naming what was expected
     */
    public static SnapshotInterval parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || "0".equals(matcher.group(1))) {
            throw new IllegalArgumentException("snapshot interval is '" + text
                    + "', expected a number of clocks from 1, auto, or auto with the mean time between failures of the"
                    + " cluster, as auto:6h (s, m, h or d)");
        }
        if (null != matcher.group(1)) {
            return new SnapshotInterval(Long.parseLong(matcher.group(1)), 0);
        }
        if (null == matcher.group(2)) {
            return new SnapshotInterval(0, DEFAULT_BETWEEN_NS);
        }
        long between = unit(matcher.group(3)).toNanos(Math.max(1, Long.parseLong(matcher.group(2))));
        return new SnapshotInterval(0, between);
    }

    private static TimeUnit unit(String letter) {
        return switch (letter) {
            case "s" -> TimeUnit.SECONDS;
            case "m" -> TimeUnit.MINUTES;
            case "h" -> TimeUnit.HOURS;
            default -> TimeUnit.DAYS;
        };
    }

    /**
     * Young's first-order optimum: the time between the beginnings of two snapshots that minimises the cost of
     * snapshots plus the average loss from a failure (J. W. Young, A first order approximation to the optimum
     * checkpoint interval, CACM 17(9), 1974).
     *
     * @param costNs cost of a snapshot in nanoseconds
     * @return the time, in nanoseconds
     */
    public long optimumNs(long costNs) {
        return (long) Math.sqrt(2.0 * costNs * betweenNs);
    }
}
