package io.sluice.messaging.bandwidth;

import java.net.SocketAddress;
import java.util.Arrays;

/** The arrivals of the stream that one prober is sending, with memory for the longest stream. */
final class StreamRecord {
    private final int[] delays = new int[ProbeDatagram.MAX_STEPS];
    private SocketAddress prober;
    private long nonce;
    private int stream;
    private long base;
    private long firstNs;
    private long lastNs;
    private int received;

    boolean isOf(SocketAddress address) {
        return address.equals(prober);
    }

    boolean isOf(long itsNonce, int itsStream) {
        return nonce == itsNonce && stream == itsStream;
    }

    /** Whether a stream was sent before the recorded one, so that its datagram is late or a duplicate. */
    boolean isAfter(long itsNonce, int itsStream) {
        return nonce == itsNonce && itsStream - stream < 0;
    }

    boolean isSilentSince(long timeNs) {
        return prober == null || lastNs - timeNs < 0;
    }

    void begin(SocketAddress address, long itsNonce, int itsStream) {
        prober = address;
        nonce = itsNonce;
        stream = itsStream;
        received = 0;
        Arrays.fill(delays, ProbeDatagram.LOST);
    }

    /** Records one probe; {@code closesStep} if it is the last of its step. */
    void onProbe(int step, boolean closesStep, long sentNs, long nowNs) {
        long delay = nowNs - sentNs;
        if (received == 0) {
            base = delay;
            firstNs = nowNs;
        }
        received++;
        lastNs = nowNs;
        if (closesStep) {
            delays[step] = Math.clamp(delay - base, -Integer.MAX_VALUE, Integer.MAX_VALUE);
        }
    }

    int received() {
        return received;
    }

    long spanNs() {
        return lastNs - firstNs;
    }

    int[] delays() {
        return delays;
    }
}
