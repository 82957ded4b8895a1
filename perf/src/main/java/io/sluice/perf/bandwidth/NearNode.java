package io.sluice.perf.bandwidth;

import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.bandwidth.AvailableBandwidth;
import io.sluice.messaging.bandwidth.AvailableBandwidthSearch;
import io.sluice.messaging.bandwidth.DeliveryMeter;
import io.sluice.messaging.bandwidth.Prober;
import io.sluice.messaging.bandwidth.StreamPositions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/** Estimates from the near end, once for each order. */
final class NearNode {
    static final long CLUSTER = 0x5354_5541_4C53L;
    static final int STREAM = 1;

    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int ENOUGH_SAMPLES = 16;
    private static final double NS_PER_SECOND = 1e9;
    private static final long DRAIN_NS = TimeUnit.SECONDS.toNanos(6);

    private NearNode() {}

    public static void main(String[] args) throws IOException {
        Endpoint data = Endpoint.parse(args[0]);
        Endpoint probes = Endpoint.parse(args[1]);
        try (Driver driver = launch("near");
                Transport transport = connect(driver)) {
            System.out.println("ready");
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                String[] words = order.split(" ");
                System.out.println(
                        words[0].equals("passive")
                                ? passive(transport, data, Double.parseDouble(words[1]))
                                : active(probes));
            }
        }
    }

    static Driver launch(String name) {
        Path directory = Path.of("/dev/shm", "sluice-bandwidth-" + name + "-" + UUID.randomUUID());
        return Driver.launch(new Driver.Context().directory(directory).channels(new Channels.Context()));
    }

    static Transport connect(Driver driver) {
        return Transport.connect(new Transport.Context().directory(driver.directory()));
    }

    /** Sends as fast as the link takes it for a while, and waits until the queue is empty again. */
    private static String passive(Transport transport, Endpoint data, double seconds) {
        String channel = transport.channels().udpTo(data);
        try (Link link = transport.openLink("far", channel, STREAM)) {
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
            long rate = meter.rate().bytesPerSecond();
            long samples = meter.rate().samplesTaken();
            drain(meter);
            return "passive " + rate + " " + samples + " "
                    + transport.channels().mtuTowards(data);
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

    private static String active(Endpoint probes) throws IOException {
        try (Prober prober = Prober.open(probes, CLUSTER)) {
            AvailableBandwidth found = AvailableBandwidthSearch.run(prober, AvailableBandwidthSearch.Limits.DEFAULT);
            return "active " + found.low() + " " + found.high() + " " + found.end() + " " + found.bytes() + " "
                    + found.streams() + " " + found.durationNs();
        }
    }
}
