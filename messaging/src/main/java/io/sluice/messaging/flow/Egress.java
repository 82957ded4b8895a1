package io.sluice.messaging.flow;

import java.util.concurrent.TimeUnit;

/**
 * The rate at which a host's network card sends, as a bucket of bytes that fills at that rate. Used by the sender's
 * thread of a media driver alone.
 */
final class Egress {
    private static final long BITS = 8;
    private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    /**
     * What may go out at once after silence, and so what the card's queue holds back others by. The sender's thread
     * loses rate when it is held up for longer.
     */
    private static final double BURST_S = 2e-3;

    /** Makes up for that: what is sent is bounded on the average already, by budgets, and this spreads it. */
    private static final double HEADROOM = 1.05;

    /** What one stream may take at a time, as long as others wait no longer for that. */
    private static final double TURN_S = 0.5e-3;

    private static final int LEAST_DATAGRAMS = 2;

    private final double bytesPerNs;
    private final double most;
    private final int turn;
    private double filled;
    private long filledNs;
    private boolean begun;

    /**
     * Full at first.
     *
     * @param rate bits per second; 0 for no bound
     */
    Egress(long rate) {
        double bytesPerSecond = HEADROOM * rate / BITS;
        bytesPerNs = bytesPerSecond / NS_PER_S;
        most = bytesPerSecond * BURST_S;
        turn = (int) Math.min(bytesPerSecond * TURN_S, Integer.MAX_VALUE);
    }

    boolean isBounded() {
        return bytesPerNs > 0;
    }

    /** Bytes that a stream should be allowed ahead of what it has sent. */
    int turn(int mtu) {
        return Math.max(turn, LEAST_DATAGRAMS * mtu);
    }

    /**
     * Takes bytes out.
     *
     * @param nowNs  monotonic time
     * @param wanted bytes of the log
     * @param scale  bytes on the wire for each of those
     * @return how many there were, up to what was wanted
     */
    int take(long nowNs, int wanted, double scale) {
        if (begun) {
            filled += (nowNs - filledNs) * bytesPerNs;
        }
        filled = begun ? Math.min(filled, Math.max(most, wanted * scale)) : most;
        begun = true;
        filledNs = nowNs;
        int taken = (int) Math.min(wanted, filled / scale);
        filled -= taken * scale;
        return taken;
    }
}
