package io.sluice.perf.lab;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a lab is to be: hosts, the rates of their links, and racks. Setters may be called in any order; {@link
 * #conclude()} checks the whole. Not safe for threads.
 */
public final class LabPlan {
    /** Most hosts of a lab: those of one network with an 8-bit host part. */
    public static final int MAX_HOSTS = 250;

    private static final long DEFAULT_RATE = 1_000_000_000;
    private static final int DEFAULT_MTU = 1_500;
    // What IPv4 demands of every link, and the longest packet it has.
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

    /** How many hosts; 2 unless set. */
    public LabPlan hosts(int number) {
        hosts = number;
        return this;
    }

    /** How many racks the hosts are spread over, in order and evenly; 0, the default, is one switch for all hosts. */
    public LabPlan racks(int number) {
        racks = number;
        return this;
    }

    /** Bits per second of every host's link, in each direction; 1 Gbit/s unless set. */
    public LabPlan rate(long bitsPerSecond) {
        rate = bitsPerSecond;
        return this;
    }

    /** Bits per second between a rack's switch and the core, in each direction; 1 Gbit/s unless set. */
    public LabPlan rackRate(long bitsPerSecond) {
        rackRate = bitsPerSecond;
        return this;
    }

    /** Bits per second from that host or rack into the network. */
    public LabPlan uplink(LinkName link, long bitsPerSecond) {
        uplinks.put(link, bitsPerSecond);
        return this;
    }

    /** Bits per second to that host or rack. */
    public LabPlan downlink(LinkName link, long bitsPerSecond) {
        downlinks.put(link, bitsPerSecond);
        return this;
    }

    /** Bytes of the longest IP packet; 1,500 unless set. */
    public LabPlan mtu(int bytes) {
        mtu = bytes;
        return this;
    }

    /** How long a frame may wait for its turn on a full link before frames are dropped; 50 ms unless set. */
    public LabPlan queue(Duration time) {
        queue = time;
        return this;
    }

    /** How many hosts. */
    public int hosts() {
        return hosts;
    }

    /** How many racks; 0 if all hosts are at one switch. */
    public int racks() {
        return racks;
    }

    /** Bytes of the longest IP packet. */
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
     * @param host from 0
     * @return from 0; -1 if there are none
     */
    public int rackOf(int host) {
        return racks == 0 ? -1 : (int) ((long) host * racks / hosts);
    }

    /**
     * Checks all of it.
     *
     * @return this
     * @throws IllegalArgumentException that names what cannot be, its value and what was expected
     */
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

    /**
     * Refuses a link that this lab would not have.
     *
     * @param setting what it was named for
     * @param link its name
     */
    public void checkName(String setting, LinkName link) {
        int number = link.rack() ? racks : hosts;
        if (link.index() >= number) {
            String has = number == 0 ? "has no racks" : "has " + number + ", counted from 0";
            throw new IllegalArgumentException(setting + ": there is no " + link + "; the lab " + has);
        }
    }

    private static void inRange(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + low + " to " + high);
        }
    }
}
