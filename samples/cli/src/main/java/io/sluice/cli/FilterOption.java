package io.sluice.cli;

/** The two options that select a filter, as one specification. */
final class FilterOption {
    private static final double DEFAULT_DELTA = 0.1;

    private FilterOption() {}

    /**
     * Completes {@code dvf} and {@code fixed} by a delta; all other filters are complete.
     *
     * @param filter value of --filter
     * @param delta value of --delta; null if not given
     * @return specification of the filter, which may still be invalid
     * @throws IllegalArgumentException if the delta is not valid, is given twice, or is given to a filter without a
     *     delta
     */
    static String spec(String filter, Double delta) {
        if (null != delta && !(delta >= 0 && delta <= Float.MAX_VALUE)) {
            throw new IllegalArgumentException("--delta is " + delta + ", expected a finite number, 0 or more");
        }
        if (takesDelta(filter)) {
            return filter + ":" + (null == delta ? DEFAULT_DELTA : delta);
        }
        if (null != delta) {
            throw new IllegalArgumentException("--delta is " + delta + ", but --filter " + filter
                    + " does not use it: expected one of the two, or --filter dvf or fixed");
        }
        return filter;
    }

    /**
     * Completes {@code adaptive} by the least rate that it finds sufficient.
     *
     * @param spec spec of the filter
     * @param minRate value of --min-rate; null if not given
     * @return specification of the filter, which may still be invalid
     * @throws IllegalArgumentException if the rate is given twice, or to a filter that does not use it
     */
    static String withMinRate(String spec, String minRate) {
        if (null == minRate) {
            return spec;
        }
        if (!takesMinRate(spec)) {
            throw new IllegalArgumentException("--min-rate is " + minRate + ", but --filter is " + spec
                    + ": expected it with --filter adaptive:LOW,HIGH alone");
        }
        return spec + ";min=" + minRate;
    }

    /** Whether a filter is one that --delta completes. */
    static boolean takesDelta(String filter) {
        return "dvf".equals(filter) || "fixed".equals(filter);
    }

    /** Whether a filter is one that --min-rate completes. */
    static boolean takesMinRate(String spec) {
        return "adaptive".equals(word(spec)) && !spec.contains(";min=");
    }

    /** The word that a specification begins with. */
    static String word(String spec) {
        return spec.split("[:;]", 2)[0];
    }

    /** Delta of dvf and fixed; 0 of all other filters. */
    static double delta(String spec) {
        boolean hasDelta = "dvf".equals(word(spec)) || "fixed".equals(word(spec));
        return hasDelta ? Double.parseDouble(spec.substring(spec.indexOf(':') + 1)) : 0;
    }
}
