package io.sluice.perf.bandwidth;

import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.bandwidth.DeliveryMeter;
import io.sluice.messaging.bandwidth.StreamPositions;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The estimate of a meter for a link that a stream fills.
 *
 * @param rate bytes of the log per second
 */
record PassiveEstimate(long rate, long samples, int mtu) implements Serializable {
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int ENOUGH_SAMPLES = 16;
    private static final double NS_PER_SECOND = 1e9;
    private static final long DRAIN_NS = TimeUnit.SECONDS.toNanos(6);

    /** Sends as fast as the link allows for a while, and waits until the queue is empty again. */
    static PassiveEstimate towards(Endpoint endpoint, double seconds) {
        try (Transport transport = FarEnd.connect("near");
                Link link = transport.openLink("far", transport.channels().udpTo(endpoint), FarEnd.STREAM)) {
            DeliveryMeter meter = new DeliveryMeter(
                    new StreamPositions(transport.aeron().countersReader(), link.registrationId(), link.position()));
            UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(link.maxUnfragmentedLength()));
            IdleStrategy idle = new BackoffIdleStrategy();
            link.awaitConnected(CONNECT_NS, SystemNanoClock.INSTANCE, idle);
            long start = System.nanoTime();
            for (long now = start; !isEnough(meter, now - start, seconds); now = System.nanoTime()) {
                boolean taken = link.offer(frame, 0, frame.capacity());
                meter.poll(now, link.position(), true, false);
                idle.idle(taken ? 1 : 0);
            }
            PassiveEstimate estimate = new PassiveEstimate(
                    meter.rate().bytesPerSecond(),
                    meter.rate().samplesTaken(),
                    transport.channels().mtuTowards(endpoint));
            drain(meter);
            return estimate;
        }
    }

    /** The first window is measured before the link is full, so later samples have to replace it. */
    private static boolean isEnough(DeliveryMeter meter, long elapsedNs, double seconds) {
        return elapsedNs > LONGEST_NS
                || elapsedNs >= seconds * NS_PER_SECOND && meter.rate().samplesTaken() >= ENOUGH_SAMPLES;
    }

    private static void drain(DeliveryMeter meter) {
        long end = System.nanoTime() + DRAIN_NS;
        long still = System.nanoTime();
        long last = meter.unacknowledged();
        while (System.nanoTime() < end && System.nanoTime() - still < DRAIN_NS / 6) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            long now = meter.unacknowledged();
            still = now == last ? still : System.nanoTime();
            last = now;
        }
    }
}
