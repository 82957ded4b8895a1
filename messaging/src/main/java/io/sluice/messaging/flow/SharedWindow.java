package io.sluice.messaging.flow;

import io.aeron.driver.CongestionControl;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** The window of one stream among others into the same socket; see {@link SharedWindows}. */
final class SharedWindow implements CongestionControl {
    private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(1);

    /** Minimum window in datagrams: a sender must send the next datagram while the last is being acknowledged. */
    private static final int LEAST_DATAGRAMS = 4;

    private static final long NOT_YET = -1;

    private final WindowShare share;
    private final int whole;
    private final int least;
    private final int first;
    private final MeasuredWindow measured;
    private final SharedWindows driver;
    private boolean counts;
    private boolean closed;
    private long periodNs;
    private long periodBegan = NOT_YET;

    /**
     * Creates the window of a new stream, which does not count yet.
     *
     * @param share    streams into the socket
     * @param whole    bytes that all streams together may have in flight
     * @param mtu      MTU of this stream, bytes
     * @param measured window by the stream's rate; null if rates are known
     * @param driver   windows of all streams
     */
    SharedWindow(WindowShare share, int whole, int mtu, MeasuredWindow measured, SharedWindows driver) {
        this.share = share;
        this.whole = whole;
        this.measured = measured;
        this.driver = driver;
        this.least = Math.min(whole, LEAST_DATAGRAMS * mtu);
        this.first = Math.min(whole, Math.max(SharedWindows.FIRST, least));
        share.open();
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
        if (!counts) {
            observe(nowNs, highest);
        }
        int bound = counts ? Math.max(least, share.of(whole)) : first;
        int window = measured == null ? bound : Math.min(bound, measured.bytes(nowNs, highest, rebuildEnd));
        return CongestionControl.packOutcome(window, false);
    }

    private void observe(long nowNs, long highest) {
        if (periodBegan == NOT_YET || nowNs - periodNs > PERIOD_NS) {
            periodBegan = highest;
            periodNs = nowNs;
        } else if (highest - periodBegan >= first / 2) {
            counts = true;
            share.count();
        }
    }

    @Override
    public int initialWindowLength() {
        return measured == null ? first : Math.min(first, measured.bytes());
    }

    @Override
    public int maxWindowLength() {
        return whole;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            share.close(counts);
        }
    }

    @Override
    public boolean shouldMeasureRtt(long nowNs) {
        return measured != null && measured.asks(nowNs);
    }

    @Override
    public void onRttMeasurementSent(long nowNs) {
        measured.onAsked(nowNs);
    }

    @Override
    public void onRttMeasurement(long nowNs, long rttNs, InetSocketAddress source) {
        if (measured != null) { // otherwise this is the reply to a request that this driver has not sent
            measured.onAnswer(rttNs + driver.waitedNs(), driver.waitedNs());
        }
    }
}
