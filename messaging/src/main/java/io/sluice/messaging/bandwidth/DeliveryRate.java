package io.sluice.messaging.bandwidth;

/**
 * The rate at which a path delivers, learnt from a stream's own traffic, after the delivery-rate estimation of BBR
 * (draft-cheng-iccrg-delivery-rate-estimation; Cardwell et al., BBR, ACM Queue 14(5), 2016).
 *
 * <p>A sample is the bytes acknowledged between two acknowledgements, over the longer of the time between the two and
 * the time it took to send those bytes: so acknowledgements that were delayed and arrive in a burst do not raise it. A
 * sample in which the sender had nothing to send measures the application, not the path; it counts only if it is above
 * the estimate. The estimate is the third largest of the last eight samples; see {@link RecentSamples} for why not the
 * largest.
 *
 * <p>Bytes are those of the log (with Aeron's frame headers, without those of UDP, IP and Ethernet): with datagrams of
 * 1,408 bytes the estimate is 3 % below the rate on the wire.
 *
 * <p>One thread updates it, any thread reads it. Nothing is allocated after construction.
 */
public final class DeliveryRate {
    /**
     * Minimum length of a sample in nanoseconds. Acknowledgements are read up to a millisecond late, by a driver or a
     * sender that slept, and a token bucket lets 2 ms of its rate pass at once after silence: 2 and 4 % of this.
     */
    public static final long MIN_SAMPLE_NS = 50_000_000;

    /** A path cannot keep the sender's pace if acknowledging takes this many times as long as sending. */
    private static final double SLOWER = 1.5;

    private static final double NS_PER_SECOND = 1e9;
    private static final int RECENT = (1 << RecentSamples.KEPT) - 1;

    private final SendHistory history = new SendHistory();
    private final RecentSamples samples = new RecentSamples();
    private boolean started;
    private long acknowledged;
    private long sampleStartNs;
    private long sampleStart;

    private volatile long estimate;
    private volatile long samplesTaken;
    private volatile long lastSampleNs;
    private volatile long lastBoundedNs;
    private volatile boolean bounded;

    /** One bit for each recent sample, the newest in the lowest bit: whether the path limited the sample. */
    private int boundedSamples;

    /** Creates an estimate without samples. */
    public DeliveryRate() {}

    /**
     * Records the positions of the stream. Call it often, every millisecond or whenever a position changes; changes
     * between two calls are attributed to the second call.
     *
     * @param timeNs     monotonic
     * @param sent       position up to which the stream was sent
     * @param acked      position up to which it was acknowledged; never above {@code sent} but by a constant
     * @param nothingDue whether all available data was sent, so that the path could have carried more
     * @param heldBack   whether the sender's own pacing holds back the rest, so that the path might have carried more
     */
    public void onPositions(long timeNs, long sent, long acked, boolean nothingDue, boolean heldBack) {
        history.record(timeNs, sent, nothingDue, heldBack);
        if (!started) {
            started = true;
            acknowledged = acked;
            beginSample(timeNs, acked);
        } else if (acked > acknowledged) {
            acknowledged = acked;
            onAcknowledgement(timeNs);
        }
    }

    /** Records the positions of a stream without pacing. */
    public void onPositions(long timeNs, long sent, long acked, boolean nothingDue) {
        onPositions(timeNs, sent, acked, nothingDue, false);
    }

    private void onAcknowledgement(long timeNs) {
        long acknowledging = timeNs - sampleStartNs;
        if (acknowledging < MIN_SAMPLE_NS) {
            return;
        }
        long sending = history.timeOf(acknowledged) - history.timeOf(sampleStart);
        long rate = (long) ((acknowledged - sampleStart) * NS_PER_SECOND / Math.max(acknowledging, sending));
        boolean limited = isLimited(acknowledging, sending);
        if (rate > estimate || !limited) {
            take(rate, timeNs);
            boundedSamples = (boundedSamples << 1 | (limited ? 0 : 1)) & RECENT;
            bounded |= Integer.bitCount(boundedSamples) > RecentSamples.KEPT / 2;
            lastBoundedNs = limited ? lastBoundedNs : timeNs;
        }
        beginSample(timeNs, acknowledged);
    }

    /**
     * Whether the sender, not the path, limited the sample. A sender that is paced above the rate of the path sends
     * faster than the receiver acknowledges, and so measures the path. Otherwise a budget above the available rate
     * would hide that rate as long as the receiver's window is not full.
     */
    private boolean isLimited(long acknowledging, long sending) {
        if (history.idleWithin(sampleStart, acknowledged)) {
            return true;
        }
        return acknowledging < SLOWER * sending && history.pausedWithin(sampleStart, acknowledged);
    }

    /**
     * Records the positions of the stream after a pause without calls, in which the times of acknowledgements are not
     * known.
     *
     * @param timeNs     monotonic
     * @param sent       position up to which the stream was sent
     * @param acked      position up to which it was acknowledged
     * @param nothingDue whether all available data was sent, as for {@code onPositions}
     * @param heldBack   whether pacing holds back the rest, as for {@code onPositions}
     */
    public void onGap(long timeNs, long sent, long acked, boolean nothingDue, boolean heldBack) {
        history.record(timeNs, sent, nothingDue, heldBack);
        started = true;
        acknowledged = acked;
        beginSample(timeNs, acked);
    }

    private void take(long rate, long timeNs) {
        samples.add(rate);
        estimate = samples.representative();
        lastSampleNs = timeNs;
        samplesTaken = samplesTaken + 1;
    }

    private void beginSample(long timeNs, long position) {
        sampleStartNs = timeNs;
        sampleStart = position;
    }

    /** Whether there was a sample yet. */
    public boolean isKnown() {
        return samplesTaken > 0;
    }

    /**
     * Whether the path has ever limited most of the recent samples. Until then the estimate is the rate that the
     * application has offered: the path may carry much more. A few samples limited by the path are not enough: at
     * start-up, nodes that are not ready yet are measured as slow paths.
     */
    public boolean isBounded() {
        return bounded;
    }

    /** The estimate in bytes per second; 0 as long as there was no sample. */
    public long bytesPerSecond() {
        return estimate;
    }

    /** The number of samples that counted. */
    public long samplesTaken() {
        return samplesTaken;
    }

    /**
     * The age of the newest sample that counted.
     *
     * @param nowNs current time, by the clock of {@code onPositions}
     * @return nanoseconds, or {@link Long#MAX_VALUE} if there was none
     */
    public long ageNs(long nowNs) {
        return isKnown() ? nowNs - lastSampleNs : Long.MAX_VALUE;
    }

    /**
     * Age of the newest sample that the path limited. Samples that the application limited do not show that a path has
     * become faster.
     *
     * @param nowNs current time, by the clock of {@code onPositions}
     * @return nanoseconds, or {@link Long#MAX_VALUE} if there was none
     */
    public long boundedAgeNs(long nowNs) {
        return bounded ? nowNs - lastBoundedNs : Long.MAX_VALUE;
    }

    /** Forgets everything, for a new stream. Only for the updating thread. */
    public void clear() {
        history.clear();
        samples.clear();
        started = false;
        estimate = 0;
        samplesTaken = 0;
        bounded = false;
        boundedSamples = 0;
    }
}
