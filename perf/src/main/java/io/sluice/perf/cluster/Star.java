package io.sluice.perf.cluster;

import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.Channels;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.driver.Driver.UdpBatch;
import io.sluice.perf.lab.LabEvent;
import io.sluice.perf.lab.LabPlan;
import java.time.Duration;
import java.util.List;

/**
 * Nodes around one switch, a host and a link for each: the servers, then the workers.
 *
 * @param rate       rate of each link in each direction, bits per second, Ethernet headers included
 * @param queue      longest wait on a link before it drops packets
 * @param ratesKnown whether nodes and media drivers are configured with the rates
 * @param events     changes of links, by time after the first trial of a turn begins
 */
public record Star(
        int servers,
        int workers,
        long rate,
        int mtu,
        UdpBatch udpBatch,
        Duration queue,
        boolean ratesKnown,
        List<LabEvent> events) {
    /**
     * Maximum number of hosts: each has a media driver and a handful of threads, and all share this machine's cores.
     */
    public static final int MAX_NODES = 32;

    static final int MIN_MTU = 1_280;
    static final int MAX_MTU = 65_535;

    /** The share of a link's queue that the window of all senders over the link fills. */
    private static final double FILLED = 0.8;

    private static final int LEAST_WINDOW = 128 << 10;
    private static final int MOST_WINDOW = 2 << 20;

    /** The share of a link's capacity, after headers, that servers and relays use, so that no queue builds up. */
    private static final double USED = 0.98;

    private static final int BURST = 128 << 10;

    /** Length of Aeron's header in each datagram, in bytes. */
    private static final int AERON_HEADER = 32;

    /** Length of UDP, IPv4 and Ethernet headers, in bytes. */
    private static final int NETWORK_HEADERS = 8 + 20 + 14;

    private static final Duration QUEUE = Duration.ofMillis(200);
    private static final double BITS = 8;
    private static final double NS_PER_S = 1e9;

    /** Refuses too many nodes, and changes of links that do not exist, naming the option. */
    public Star {
        if (workers + servers > MAX_NODES) {
            throw new IllegalArgumentException(
                    "--workers and --servers together are " + (workers + servers) + ", expected up to " + MAX_NODES);
        }
        LabPlan hosts = new LabPlan().hosts(servers + workers);
        for (LabEvent event : events) {
            hosts.checkName("--event", event.link());
        }
    }

    /**
     * Creates a star of known rates without changes, whose queues hold the window that all senders over a link
     * share, and whose media drivers batch datagrams as by default.
     */
    public Star(int servers, int workers, long rate, int mtu) {
        this(servers, workers, rate, mtu, new Driver.Context().udpBatch(), QUEUE, true, List.of());
    }

    /** Describes the links' queues and rate changes, and whether nodes are configured with the links' rates. */
    public String conditions() {
        String known = ratesKnown ? "link rates are configured at nodes" : "no link rate is configured";
        String changes = events.isEmpty() ? "" : "; links change: " + events;
        return "queues of links hold " + queue.toMillis() + " ms; " + known + changes;
    }

    public int hosts() {
        return servers + workers;
    }

    /**
     * Number of seconds that a link takes for a number of bytes, without headers: a lower bound for every way to send
     * them.
     */
    public double wireSeconds(long bytes) {
        return bytes * BITS / rate;
    }

    /** Number of bytes of a datagram towards other hosts. */
    private int datagram() {
        return Channels.mtuOverInterface(mtu, false);
    }

    private int datagrams(int bytes) {
        return Math.ceilDiv(bytes, datagram() - AERON_HEADER);
    }

    /** Bits of logs that a node may send per second. */
    private double used() {
        return USED * rate * datagram() / (datagram() + NETWORK_HEADERS);
    }

    /** Seconds that a link takes for a frame, with all headers, in datagrams as Aeron cuts them. */
    public double frameSeconds(int bytes) {
        return wireSeconds(bytes + (long) datagrams(bytes) * (AERON_HEADER + NETWORK_HEADERS));
    }

    /**
     * Number of bytes of parameters per second that a node's budget admits, in frames of one length.
     *
     * @param payload bytes of parameters in such a frame
     */
    public double sendingRate(int bytes, int payload) {
        return used() / BITS * payload / (bytes + datagrams(bytes) * AERON_HEADER);
    }

    public LabPlan network() {
        return new LabPlan().hosts(hosts()).rate(rate).mtu(mtu).queue(queue);
    }

    /** Number of bytes by which all senders to one host together may be ahead of it: they fit the queue of its link. */
    int window() {
        double queued = rate / BITS * queue.toNanos() / NS_PER_S;
        return (int) Math.clamp(FILLED * queued, LEAST_WINDOW, MOST_WINDOW);
    }

    ChannelSettings channels() {
        ChannelSettings settings = new ChannelSettings();
        return ratesKnown ? settings.receiverWindow(window()) : settings;
    }

    /** The rate with which media drivers are configured; 0 for none. */
    long egressRate() {
        return ratesKnown ? rate : 0;
    }

    /**
     * Terms with BSP and f32 over UDP, uncompressed; if rates are known, no node sends faster than its link carries.
     */
    public ClusterSettingsBuilder terms() {
        ClusterSettingsBuilder terms = Cluster.terms(servers, workers).transport(TransportKind.UDP);
        return ratesKnown ? terms.linkRate(rate + "bit").nodeBudget((long) used() + "bit", BURST) : terms;
    }
}
