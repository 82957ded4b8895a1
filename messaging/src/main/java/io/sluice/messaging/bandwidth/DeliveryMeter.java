package io.sluice.messaging.bandwidth;

/**
 * Reads the positions of a publication and feeds its {@link DeliveryRate}. One thread polls, any thread reads the
 * estimate.
 */
public final class DeliveryMeter {
    /** Longest time between two observations in one sample: a fifth of the shortest sample. */
    public static final long MAX_GAP_NS = DeliveryRate.MIN_SAMPLE_NS / 5;

    private final StreamPositions positions;
    private final DeliveryRate rate = new DeliveryRate();
    private boolean looked;
    private long lookedNs;

    /**
     * Creates the meter of one publication.
     *
     * @param positions positions of the publication
     */
    public DeliveryMeter(StreamPositions positions) {
        this.positions = positions;
    }

    /**
     * Reads the positions. Cheap enough for every duty cycle; every millisecond suffices. After more than {@link
     * #MAX_GAP_NS} without a call a new sample starts. Allocates nothing.
     *
     * @param nowNs    monotonic
     * @param produced position up to which frames were offered, {@code publication.position()}
     * @param moreDue  whether frames wait above the log
     * @param heldBack whether frames wait for pacing
     */
    public void poll(long nowNs, long produced, boolean moreDue, boolean heldBack) {
        if (positions.refresh()) {
            // Read the acknowledgement first: the bytes it covers were sent before it.
            long acknowledged = positions.acknowledged();
            long sent = positions.sent();
            boolean inLog = produced > sent;
            boolean nothingDue = !moreDue && !inLog;
            boolean held = heldBack && !inLog;
            if (looked && nowNs - lookedNs > MAX_GAP_NS) {
                rate.onGap(nowNs, sent, acknowledged, nothingDue, held);
            } else {
                rate.onPositions(nowNs, sent, acknowledged, nothingDue, held);
            }
            looked = true;
            lookedNs = nowNs;
        }
    }

    /** The estimated rate. */
    public DeliveryRate rate() {
        return rate;
    }

    /** Number of bytes in flight, or consumed and not yet reported: 0 before a receiver is connected. */
    public long unacknowledged() {
        return positions.refresh() ? positions.sent() - positions.acknowledged() : 0;
    }
}
