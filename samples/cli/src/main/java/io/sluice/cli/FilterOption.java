package io.sluice.cli;

import java.util.Collection;

/** A filter in the form of an option, and the two options that complete some filters: --delta and --min-rate. */
final class FilterOption {
    private static final double DEFAULT_DELTA = 0.1;

    private FilterOption() {}

    /**
     * Completes {@code dvf} and {@code fixed} by a delta, and {@code adaptive} by the lowest sufficient rate; all other
     * filters are complete.
     *
     * @param filter value of --filter, without its table
     * @param delta value of --delta; null if not given
     * @param minRate value of --min-rate; null if not given
     * @return specification of the filter, which may still be invalid
     */
    static String completed(String filter, Double delta, String minRate) {
        if (takesDelta(filter)) {
            return filter + ":" + (null == delta ? DEFAULT_DELTA : delta);
        }
        return null != minRate && takesMinRate(filter) ? filter + ";min=" + minRate : filter;
    }

    /**
     * Requires that the two options have an effect.
     *
     * @param filters filters of all tables, that of the most tables first, before they are completed
     * @throws IllegalArgumentException if the delta is out of range, or none of the filters uses a given option
     */
    static void requireUse(Collection<String> filters, Double delta, String minRate) {
        String first = filters.iterator().next();
        if (null != delta && !(delta >= 0 && delta <= Float.MAX_VALUE)) {
            throw new IllegalArgumentException("--delta is " + delta + ", expected a finite number, 0 or more");
        }
        if (null != delta && filters.stream().noneMatch(FilterOption::takesDelta)) {
            throw new IllegalArgumentException("--delta is " + delta + ", but --filter " + first
                    + " does not use it: omit one of them, or use --filter dvf or fixed");
        }
        if (null != minRate && filters.stream().noneMatch(FilterOption::takesMinRate)) {
            throw new IllegalArgumentException("--min-rate is " + minRate + ", but --filter is " + first
                    + ": it applies only to --filter adaptive:LOW,HIGH");
        }
    }

    private static boolean takesDelta(String filter) {
        return "dvf".equals(filter) || "fixed".equals(filter);
    }

    private static boolean takesMinRate(String spec) {
        return "adaptive".equals(word(spec)) && !spec.contains(";min=");
    }

    /** The name with which a specification begins. */
    static String word(String spec) {
        return spec.split("[:;]", 2)[0];
    }

    /** Delta of dvf and fixed; 0 of all other filters. */
    static double delta(String spec) {
        return takesDelta(word(spec)) ? Double.parseDouble(spec.substring(spec.indexOf(':') + 1)) : 0;
    }
}
