package io.sluice.perf.lab;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The plan of a lab: hosts, the rates of their links, and racks. Setters may be called in any order; {@link
 * #conclude()} checks the plan. Not thread-safe.
 */
public final class LabPlan {
    /** Maximum number of hosts of a lab: a network with an 8-bit host part has no more. */
    public static final int MAX_HOSTS = 250;

    private static final long DEFAULT_RATE = 1_000_000_000;
    private static final int DEFAULT_MTU = 1_500;
    // The smallest MTU that IPv4 requires, and the longest IPv4 packet.
    private static final int MIN_MTU = 576;
    private static final int MAX_MTU = 65_535;
    private static final Duration DEFAULT_QUEUE = Duration.ofMillis(50);
    private static final Duration MIN_QUEUE = Duration.ofMillis(1);
    private static final Duration MAX_QUEUE = Duration.ofSeconds(10);

    private final Map<LinkName, Long> uplinks = new LinkedHashMap<>();
    private final Map<LinkName, Long> downlinks = new LinkedHashMap<>();
    private int hosts = 2;
    private int racks;
    private long rate = DEFAULT_RATE;
    private long rackRate = DEFAULT_RATE;
    private int mtu = DEFAULT_MTU;
    private Duration queue = DEFAULT_QUEUE;

    /** Sets the number of hosts; 2 by default. */
    public LabPlan hosts(int number) {
        hosts = number;
        return this;
    }

    /**
     * Sets the number of racks over which the hosts are spread in order; 0, the default, is one switch for all hosts.
     */
    public LabPlan racks(int number) {
        racks = number;
        return this;
    }

    /** Sets the rate of every host's link in each direction, in bits per second; 1 Gbit/s by default. */
    public LabPlan rate(long bitsPerSecond) {
        rate = bitsPerSecond;
        return this;
    }

    /**
     * Sets the rate between a rack's switch and the core in each direction, in bits per second; 1 Gbit/s by default.
     */
    public LabPlan rackRate(long bitsPerSecond) {
        rackRate = bitsPerSecond;
        return this;
    }

    /** Sets the rate from a host or rack into the network, in bits per second. */
    public LabPlan uplink(LinkName link, long bitsPerSecond) {
        uplinks.put(link, bitsPerSecond);
        return this;
    }

    /** Sets the rate to a host or rack, in bits per second. */
    public LabPlan downlink(LinkName link, long bitsPerSecond) {
        downlinks.put(link, bitsPerSecond);
        return this;
    }

    /** Sets the length of the longest IP packet in bytes; 1,500 by default. */
    public LabPlan mtu(int bytes) {
        mtu = bytes;
        return this;
    }

    /** Sets how long a frame may wait on a full link before the kernel drops frames; 50 ms by default. */
    public LabPlan queue(Duration time) {
        queue = time;
        return this;
    }

    public int hosts() {
        return hosts;
    }

    /** Number of racks; 0 if all hosts share one switch. */
    public int racks() {
        return racks;
    }

    /** Number of bytes of the longest IP packet. */
    public int mtu() {
        return mtu;
    }

    /** How long a frame may wait. */
    public Duration queue() {
        return queue;
    }

    /** Bits per second from a host or rack into the network. */
    public long uplink(LinkName link) {
        return uplinks.getOrDefault(link, link.rack() ? rackRate : rate);
    }

    /** Bits per second to a host or rack. */
    public long downlink(LinkName link) {
        return downlinks.getOrDefault(link, link.rack() ? rackRate : rate);
    }

    /**
     * The rack of a host.
     *
     * @return number of the rack, from 0; -1 if there are no racks
     */
    public int rackOf(int host) {
        return racks == 0 ? -1 : (int) ((long) host * racks / hosts);
    }

    /** Checks the plan. */
    public LabPlan conclude() {
        inRange("hosts", hosts, 1, MAX_HOSTS);
        inRange("racks", racks, 0, hosts);
        inRange("mtu", mtu, MIN_MTU, MAX_MTU);
        if (queue.compareTo(MIN_QUEUE) < 0 || queue.compareTo(MAX_QUEUE) > 0) {
            throw new IllegalArgumentException(
                    "queue is " + queue.toMillis() + "ms, expected 1ms to " + MAX_QUEUE.toSeconds() + "s");
        }
        TokenBucket.check("rate", rate);
        TokenBucket.check("rack-rate", rackRate);
        checkLinks("uplink", uplinks);
        checkLinks("downlink", downlinks);
        return this;
    }

    private void checkLinks(String direction, Map<LinkName, Long> rates) {
        rates.forEach((link, bits) -> {
            checkName(direction, link);
            TokenBucket.check(direction + " of " + link, bits);
        });
    }

    /** Checks that the lab has a link. */
    public void checkName(String setting, LinkName link) {
        int number = link.rack() ? racks : hosts;
        if (link.index() >= number) {
            String has = number == 0 ? "has no racks" : "has " + number + ", counted from 0";
            throw new IllegalArgumentException(setting + ": unknown link " + link + "; the lab " + has);
        }
    }

    private static void inRange(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + low + " to " + high);
        }
    }
}
