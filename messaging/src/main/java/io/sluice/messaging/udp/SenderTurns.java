package io.sluice.messaging.udp;

import io.aeron.driver.DutyCycleTracker;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.status.DutyCycleStallTracker;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeron.exceptions.AeronEvent;
import io.aeron.exceptions.AeronException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Lets publications catch up with the batches of the last cycle at the beginning of each duty cycle of the driver's
 * sender. Aeron calls its tracker of duty cycles there, so this class is such a tracker, and tracks cycles as Aeron's
 * does.
 */
final class SenderTurns extends DutyCycleTracker {
    private final MediaDriver.Context context;
    private final List<PublicationPosition> ahead = new ArrayList<>();
    private DutyCycleTracker stalls;
    private AtomicCounter bytesSent;
    private UdpCounters counters;
    private boolean reported;

    /**
     * Creates the turns of a driver.
     *
     * @param context settings of the driver, which are concluded when it starts
     */
    SenderTurns(MediaDriver.Context context) {
        this.context = context;
    }

    /** Sets the counters. Call it before the first publication is ahead. */
    void countWith(UdpCounters counters) {
        this.counters = counters;
    }

    /** Records a publication that has sent more than Aeron counts in this cycle. */
    void ahead(PublicationPosition publication) {
        ahead.add(publication);
    }

    @Override
    public void reportMeasurement(long durationNs) {
        if (stalls == null) {
            start();
        }
        catchUp();
        stalls.reportMeasurement(durationNs);
    }

    /** Updates publications before the next cycle, because one must repeat data that it has just sent. */
    void catchUp() {
        for (int i = 0; i < ahead.size(); i++) {
            long bytes = ahead.get(i).catchUp();
            if (bytes == PublicationPosition.UNEXPECTED) {
                onUnexpected();
            } else {
                bytesSent.getAndAddRelease(bytes);
            }
        }
        ahead.clear();
    }

    private void onUnexpected() {
        counters.unexpectedPosition();
        if (!reported) {
            reported = true;
            context.errorHandler()
                    .onError(new AeronEvent(
                            "the position of a publication is not the end of the first datagram of its batch: Aeron"
                                    + " sends the batch again",
                            AeronException.Category.WARN));
        }
    }

    private void start() {
        bytesSent = context.systemCounters().get(SystemCounterDescriptor.BYTES_SENT);
        stalls = new DutyCycleStallTracker(
                context.systemCounters().get(SystemCounterDescriptor.SENDER_MAX_CYCLE_TIME),
                context.systemCounters().get(SystemCounterDescriptor.SENDER_CYCLE_TIME_THRESHOLD_EXCEEDED),
                context.senderCycleThresholdNs());
    }
}
