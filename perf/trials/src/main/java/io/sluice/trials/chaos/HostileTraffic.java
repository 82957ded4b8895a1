package io.sluice.trials.chaos;

import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Attackers on the network of a cluster. They send {@link HostileDatagrams} to every UDP port of the cluster and {@link
 * HostileFrames} to every stream that its nodes receive, and count what they sent. Not thread-safe.
 */
final class HostileTraffic {
    private static final long LISTEN_MS = 500;
    private static final long STALE_MS = 1_000;
    private static final long CONNECT_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long PAUSE_NS = 50_000;
    private static final long NS_PER_S = 1_000_000_000;
    private static final int CONTROL_STREAM = 10;
    private static final int ROUND = 64;
    private static final int MOST_REFUSALS = 2_000;

    private final Cluster cluster;
    private final long rate;
    private final Random random;
    private long datagrams;
    private long frames;
    private long refused;
    private long sendingNs;

    /**
     * Creates attackers on a running cluster.
     *
     * @param rate maximum number of datagrams and frames per second
     */
    HostileTraffic(Cluster cluster, long rate, long seed) {
        this.cluster = cluster;
        this.rate = rate;
        this.random = new Random(seed);
    }

    /** Number of datagrams sent so far. */
    long datagrams() {
        return datagrams;
    }

    /** Number of frames that links have accepted so far. */
    long frames() {
        return frames;
    }

    /** Time spent sending, in nanoseconds. */
    long sendingNs() {
        return sendingNs;
    }

    /** Number of frames that nodes have rejected and counted since the start; unknown for nodes that have died. */
    long refused() {
        return refused;
    }

    /**
     * Sends as many datagrams as frames, to ports and streams in turn.
     *
     * @param number number of datagrams and frames together
     * @param enough whether to stop early
     * @throws IOException if no socket can be opened
     * @throws InterruptedException if the thread is interrupted
     */
    void send(long number, BooleanSupplier enough) throws IOException, InterruptedException {
        Site site = cluster.site();
        List<Transport> clients = new ArrayList<>();
        List<Link> links = new ArrayList<>();
        try (DatagramSocket socket = site.socket(0)) {
            Set<Streams.Stream> streams = new HashSet<>();
            List<byte[]> overheard = new ArrayList<>();
            for (int host = 0; host < site.hosts(); host++) {
                Transport client = Transport.connect(new Transport.Context().directory(site.driver(host)));
                clients.add(client);
                Set<Streams.Stream> here = Streams.of(client.aeron().countersReader());
                streams.addAll(here);
                overheard.addAll(Eavesdropper.listen(client.aeron(), here, LISTEN_MS));
            }
            // Waits until the recorded frames are outdated: a replay that overtakes its original has no defined
            // outcome.
            Thread.sleep(STALE_MS);
            openLinks(clients.getFirst(), streams, links);
            HostileFrames hostile =
                    new HostileFrames(random, overheard, cluster.terms().seal());
            int[] ids = streams.stream().mapToInt(Streams.Stream::id).distinct().toArray();
            HostileDatagrams noise = new HostileDatagrams(random, ids.length == 0 ? new int[] {CONTROL_STREAM} : ids);
            List<InetSocketAddress> ports = ports();
            long before = Refusals.at(site);
            long sent = 0;
            long startNs = System.nanoTime();
            while (sent < number && !enough.getAsBoolean()) {
                pace(sent, startNs);
                sent += sendDatagrams(socket, ports, noise, Math.min(ROUND, number - sent));
                sent += sendFrames(links, hostile, Math.min(ROUND, number - sent));
            }
            sendingNs += System.nanoTime() - startNs;
            refused += Math.max(0, Refusals.settled(site) - before);
        } catch (MessagingException e) {
            // The media driver was killed: no stream is left to send to.
        } finally {
            CloseHelper.quietCloseAll(links);
            CloseHelper.quietCloseAll(clients);
        }
    }

    private void pace(long sent, long startNs) {
        long dueNs = startNs + sent * NS_PER_S / rate;
        LockSupport.parkNanos(Math.max(0, dueNs - System.nanoTime()));
    }

    private List<InetSocketAddress> ports() {
        List<InetSocketAddress> ports = new ArrayList<>();
        for (ClusterProcess driver : cluster.drivers()) {
            ports.addAll(UdpPorts.of(driver.pid(), cluster.site().address(driver.host())));
        }
        return ports;
    }

    private static void openLinks(Transport client, Set<Streams.Stream> streams, List<Link> links) {
        Set<String> seen = new HashSet<>();
        for (Streams.Stream stream : streams) {
            Endpoint receiver = stream.receiver();
            if (seen.add(receiver + " " + stream.id())) {
                links.add(client.openLink("hostile", client.channels().udpTo(receiver), stream.id()));
            }
        }
        long startNs = System.nanoTime();
        while (!links.stream().allMatch(Link::isConnected) && System.nanoTime() - startNs < CONNECT_NS) {
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private long sendDatagrams(
            DatagramSocket socket, List<InetSocketAddress> ports, HostileDatagrams noise, long number)
            throws IOException {
        byte[] bytes = new byte[HostileDatagrams.LONGEST];
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        DatagramPacket packet = new DatagramPacket(bytes, 1);
        for (int i = 0; i < number && !ports.isEmpty(); i++) {
            packet.setLength(noise.next(buffer));
            packet.setSocketAddress(ports.get((int) (datagrams % ports.size())));
            try {
                socket.send(packet);
            } catch (SocketException e) {
                // The port was closed or the host is cut off: continue with the next port.
            }
            datagrams++;
        }
        return ports.isEmpty() ? 0 : number;
    }

    /** A full link is skipped: its receiver is still busy with earlier frames. */
    private long sendFrames(List<Link> links, HostileFrames hostile, long number) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[HostileFrames.LONGEST + Long.BYTES]);
        long sent = 0;
        int refused = 0;
        while (sent < number && refused < MOST_REFUSALS && !links.isEmpty()) {
            int length = hostile.next(buffer);
            Link link = links.get(random.nextInt(links.size()));
            if (link.isConnected() && link.offer(buffer, 0, length)) {
                frames++;
                sent++;
            } else {
                refused++;
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        return sent;
    }
}
