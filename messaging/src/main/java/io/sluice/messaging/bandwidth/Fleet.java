package io.sluice.messaging.bandwidth;

/**
 * Several streams at one rate, and their combined verdict (Jain and Dovrolis 2003, section IV). The available bandwidth
 * varies, so a single stream does not decide. A fleet ends early once its remaining streams cannot change the verdict.
 */
final class Fleet {
    /** The verdict of a fleet on its rate. */
    enum Verdict {
        /** The rate is above the available bandwidth. */
        ABOVE,
        /** The rate is below the available bandwidth. */
        BELOW,
        /** The available bandwidth varied around the rate. */
        GREY,
        /** More streams are needed. */
        UNDECIDED
    }

    /** Share of the streams that must agree. */
    private static final double AGREEMENT = 0.7;

    /**
     * Loss above which a stream has overrun a queue, regardless of its delays; the paper's algorithm then aborts the
     * fleet.
     */
    private static final double MAX_LOSS = 0.1;

    /** Loss above which a stream shows no reliable trend, because a full queue delays all datagrams equally. */
    private static final double SUSPICIOUS_LOSS = 0.03;

    private final int streams;
    private final int needed;
    private int increasing;
    private int steady;
    private int ambiguous;
    private boolean overrun;

    Fleet(int streams) {
        this.streams = streams;
        this.needed = (int) Math.ceil(AGREEMENT * streams);
    }

    /** Adds a stream: its trend and the share of its datagrams that was lost. */
    void add(DelayTrend trend, double loss) {
        overrun |= loss > MAX_LOSS;
        DelayTrend believed = loss > SUSPICIOUS_LOSS ? DelayTrend.INCREASING : trend;
        switch (believed) {
            case INCREASING -> increasing++;
            case STEADY -> steady++;
            default -> ambiguous++;
        }
    }

    Verdict verdict() {
        int left = streams - increasing - steady - ambiguous;
        if (overrun || increasing >= needed) {
            return Verdict.ABOVE;
        }
        if (steady >= needed) {
            return Verdict.BELOW;
        }
        boolean open = Math.max(increasing, steady) + left >= needed;
        return open ? Verdict.UNDECIDED : Verdict.GREY;
    }
}
