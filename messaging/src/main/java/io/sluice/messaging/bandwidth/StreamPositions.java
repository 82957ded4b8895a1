package io.sluice.messaging.bandwidth;

import io.aeron.AeronCounters;
import org.agrona.concurrent.status.CountersReader;

/**
 * Where a UDP publication stands, as the media driver's counters tell: how much it has sent and how much its receiver
 * has consumed. No message is sent and nothing is locked: three reads of shared memory.
 *
 * <p>Aeron has no counter of what was acknowledged. But a receiver's status message names the position it has consumed
 * and its window, and the driver publishes their sum as the sender's limit ({@code snd-lmt}; of several receivers, what
 * the flow control makes of theirs, with {@code min} the slowest). The window is constant, and so learnt from the first
 * limit that is seen: at that time nothing was consumed yet.
 *
 * <p>A receiver reports when a quarter of its window has been consumed since the last report, and not before (Aeron
 * 1.51: {@code PublicationImage.trackRebuild}; the repetition after 200 ms of silence says nothing new). So the
 * position moves in steps, and lags by up to a quarter window for ever when the sender stops: with a window of 2 MiB,
 * 0.5 MiB, in steps of 4 ms at 1 Gbit/s and of 0.42 s at 10 Mbit/s.
 */
public final class StreamPositions {
    private final CountersReader counters;
    private final long registrationId;
    private final long initialPosition;
    private int sentId = CountersReader.NULL_COUNTER_ID;
    private int limitId = CountersReader.NULL_COUNTER_ID;
    private long window;

    /**
     * Of a publication just opened.
     *
     * @param counters        of its media driver: a reader that stays while this is asked
     * @param registrationId  of the publication
     * @param initialPosition of the publication before anything was offered
     */
    public StreamPositions(CountersReader counters, long registrationId, long initialPosition) {
        this.counters = counters;
        this.registrationId = registrationId;
        this.initialPosition = initialPosition;
    }

    /**
     * Looks for news. To be called before the positions are asked for.
     *
     * @return true if there are positions: false over shared memory, before a receiver is there and after the
     *     publication has gone
     */
    public boolean refresh() {
        if (!isOurs(sentId) || !isOurs(limitId)) {
            sentId = find(AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID);
            limitId = find(AeronCounters.DRIVER_SENDER_LIMIT_TYPE_ID);
            if (sentId == CountersReader.NULL_COUNTER_ID || limitId == CountersReader.NULL_COUNTER_ID) {
                return false;
            }
        }
        if (window == 0) {
            window = Math.max(0, counters.getCounterValue(limitId) - initialPosition);
        }
        return window > 0;
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

    /** Position up to which the receiver has consumed it, as far as it has said. */
    public long acknowledged() {
        return counters.getCounterValue(limitId) - window;
    }

    /** Bytes the receiver takes ahead of what it has consumed; 0 before it has said so. */
    public long window() {
        return window;
    }
}
