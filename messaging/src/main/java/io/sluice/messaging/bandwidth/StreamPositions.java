package io.sluice.messaging.bandwidth;

import io.aeron.AeronCounters;
import io.sluice.messaging.flow.LinkFlowControl;
import org.agrona.concurrent.status.CountersReader;

/**
 * Positions of a UDP publication from the media driver's counters: how much it has sent and how much its receiver has
 * consumed. No messages, no locks: three reads of shared memory.
 *
 * <p>A receiver's status message names the position it has consumed and its window; a driver that Sluice has launched
 * publishes both ({@link LinkFlowControl}). Aeron's own publishes no more than their sum, as the sender's limit
 * ({@code snd-lmt}; of several receivers, the limit that the flow control computes from theirs, with {@code min} that
 * of the slowest): with such a driver, this class assumes a constant window and derives it from the first limit, when
 * nothing was consumed yet.
 *
 * <p>A receiver reports when a quarter of its window has been consumed since the last report, and not before (Aeron
 * 1.51: {@code PublicationImage.trackRebuild}; the repetition after 200 ms of silence adds no information). So the
 * position moves in steps, and lags by up to a quarter window for ever when the sender stops: with a window of 2 MiB,
 * 0.5 MiB, in steps of 4 ms at 1 Gbit/s and of 0.42 s at 10 Mbit/s.
 */
public final class StreamPositions {
    private final CountersReader counters;
    private final long registrationId;
    private final long initialPosition;
    private int sentId = CountersReader.NULL_COUNTER_ID;
    private int limitId = CountersReader.NULL_COUNTER_ID;
    private int consumedId = CountersReader.NULL_COUNTER_ID;
    private long firstWindow;

    /** Whether the counters have been found: if they disappear afterwards, the publication is closed for good. */
    private boolean found;

    /**
     * Creates the positions of a publication that was just opened.
     *
     * @param counters        counters of its media driver, valid as long as this object is used
     * @param registrationId  registration id of the publication
     * @param initialPosition initial position of the publication before anything was offered
     */
    public StreamPositions(CountersReader counters, long registrationId, long initialPosition) {
        this.counters = counters;
        this.registrationId = registrationId;
        this.initialPosition = initialPosition;
    }

    /**
     * Reads the current positions. Call it before the accessors.
     *
     * @return true if there are positions: false over shared memory, before a receiver connects and after the
     *     publication is closed
     */
    public boolean refresh() {
        if (!isOurs(sentId) || !isOurs(limitId)) {
            if (found) {
                return false;
            }
            sentId = find(AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID);
            consumedId = find(LinkFlowControl.CONSUMED_TYPE_ID);
            limitId = find(
                    isConsumedPublished()
                            ? LinkFlowControl.RECEIVER_LIMIT_TYPE_ID
                            : AeronCounters.DRIVER_SENDER_LIMIT_TYPE_ID);
            if (sentId == CountersReader.NULL_COUNTER_ID || limitId == CountersReader.NULL_COUNTER_ID) {
                return false;
            }
            found = true;
        }
        if (isConsumedPublished()) {
            return counters.getCounterValue(limitId) > 0;
        }
        if (firstWindow == 0) {
            firstWindow = Math.max(0, counters.getCounterValue(limitId) - initialPosition);
        }
        return firstWindow > 0;
    }

    private boolean isConsumedPublished() {
        return consumedId != CountersReader.NULL_COUNTER_ID;
    }

    private boolean isOurs(int id) {
        return id != CountersReader.NULL_COUNTER_ID
                && counters.getCounterState(id) == CountersReader.RECORD_ALLOCATED
                && counters.getCounterRegistrationId(id) == registrationId;
    }

    private int find(int typeId) {
        return counters.findByTypeIdAndRegistrationId(typeId, registrationId);
    }

    /** Position up to which the driver has handed the stream to the operating system. */
    public long sent() {
        return counters.getCounterValue(sentId);
    }

    /** Position up to which the receiver has reported that it consumed the stream. */
    public long acknowledged() {
        return isConsumedPublished()
                ? counters.getCounterValue(consumedId)
                : counters.getCounterValue(limitId) - firstWindow;
    }

    /** Number of bytes that the receiver accepts beyond what it has consumed; 0 before its first report. */
    public long window() {
        if (!isConsumedPublished()) {
            return firstWindow;
        }
        long limit = counters.getCounterValue(limitId);
        return Math.max(0, limit - counters.getCounterValue(consumedId));
    }
}
