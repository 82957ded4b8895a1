package io.sluice.messaging.flow;

import io.aeron.driver.CongestionControl;
import java.net.InetSocketAddress;

/** The window of one stream: its part of the socket's window, or less where its data waits on the way. */
final class DelayBoundWindow implements CongestionControl {
    private final SharedWindow part;
    private final DelayWindow delay;

    DelayBoundWindow(SharedWindow part) {
        this.part = part;
        this.delay = new DelayWindow(part.leastWindowLength(), part.maxWindowLength());
    }

    @Override
    public long onTrackRebuild(
            long nowNs,
            long consumed,
            long lastStatus,
            long highest,
            long rebuildBegin,
            long rebuildEnd,
            boolean lossOccurred) {
        long outcome =
                part.onTrackRebuild(nowNs, consumed, lastStatus, highest, rebuildBegin, rebuildEnd, lossOccurred);
        int allowed = delay.bytes(nowNs, highest, lossOccurred);
        return CongestionControl.packOutcome(
                Math.min(CongestionControl.receiverWindowLength(outcome), allowed),
                CongestionControl.shouldForceStatusMessage(outcome));
    }

    @Override
    public boolean shouldMeasureRtt(long nowNs) {
        return delay.asks(nowNs);
    }

    @Override
    public void onRttMeasurementSent(long nowNs) {
        delay.onAsked(nowNs);
    }

    @Override
    public void onRttMeasurement(long nowNs, long rttNs, InetSocketAddress source) {
        delay.onAnswer(rttNs);
    }

    @Override
    public int initialWindowLength() {
        return Math.min(part.initialWindowLength(), delay.bytes());
    }

    @Override
    public int maxWindowLength() {
        return part.maxWindowLength();
    }

    @Override
    public void close() {
        part.close();
    }
}
