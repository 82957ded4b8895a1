package io.sluice.perf.bandwidth;

import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.bandwidth.AvailableBandwidth;
import io.sluice.messaging.bandwidth.AvailableBandwidthSearch;
import io.sluice.messaging.bandwidth.DeliveryMeter;
import io.sluice.messaging.bandwidth.Prober;
import io.sluice.messaging.bandwidth.StreamPositions;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.nodes.NodeLoop;
import io.sluice.perf.nodes.NodeTask;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/** Estimates from the near end. */
final class NearNode {
    static final long CLUSTER = 0x5354_5541_4C53L;
    static final int STREAM = 1;

    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int ENOUGH_SAMPLES = 16;
    private static final double NS_PER_SECOND = 1e9;
    private static final long DRAIN_NS = TimeUnit.SECONDS.toNanos(6);

    private NearNode() {}

    /** Connects to a driver of its own, which ends with the process. */
    static Transport connect(String name) {
        Path directory = Path.of("/dev/shm", "sluice-bandwidth-" + name + "-" + UUID.randomUUID());
        return Transport.connect(
                new Transport.Context().directory(NodeLoop.launch(new Driver.Context().directory(directory))));
    }

    /**
     * The passive estimate.
     *
     * @param rate    bytes of the log per second
     * @param samples samples of the meter
     * @param mtu     MTU of the stream
     */
    record Passive(long rate, long samples, int mtu) implements Serializable {}

    /** The active estimate: between two rates, in bytes per second. */
    record Active(double low, double high, String end, long bytes, long durationNs) implements Serializable {}

    /** Sends as fast as the link takes it for a while, and waits until the queue is empty again. */
    record MeasurePassively(String data, double seconds) implements NodeTask<Passive> {
        @Override
        public Passive run() {
            Endpoint endpoint = Endpoint.parse(data);
            try (Transport transport = connect("near");
                    Link link = transport.openLink("far", transport.channels().udpTo(endpoint), STREAM)) {
                DeliveryMeter meter = new DeliveryMeter(new StreamPositions(
                        transport.aeron().countersReader(), link.registrationId(), link.position()));
                UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(link.maxUnfragmentedLength()));
                IdleStrategy idle = new BackoffIdleStrategy();
                link.awaitConnected(CONNECT_NS, SystemNanoClock.INSTANCE, idle);
                long start = System.nanoTime();
                for (long now = start; !isEnough(meter, now - start, seconds); now = System.nanoTime()) {
                    boolean taken = link.offer(frame, 0, frame.capacity());
                    meter.poll(now, link.position(), true, false);
                    idle.idle(taken ? 1 : 0);
                }
                Passive passive = new Passive(
                        meter.rate().bytesPerSecond(),
                        meter.rate().samplesTaken(),
                        transport.channels().mtuTowards(endpoint));
                drain(meter);
                return passive;
            }
        }
    }

    /** Probes. */
    record MeasureActively(String probes) implements NodeTask<Active> {
        @Override
        public Active run() throws IOException {
            try (Prober prober = Prober.open(Endpoint.parse(probes), CLUSTER)) {
                AvailableBandwidth found =
                        AvailableBandwidthSearch.run(prober, AvailableBandwidthSearch.Limits.DEFAULT);
                return new Active(found.low(), found.high(), found.end().toString(), found.bytes(), found.durationNs());
            }
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
