package io.sluice.perf.lab;

import java.time.Duration;
import java.util.List;

/**
 * The link of a host, or of a rack to the core: a rate in each direction, up or cut. Thread-safe. A change takes a few
 * milliseconds, because it starts a process.
 */
public final class Link {
    private static final String HOST_DEVICE = "eth0";
    private static final String HOST_PORT = "port";
    private static final String RACK_END = "rackup";
    private static final String CORE_END = "corerack";

    private final LinkName name;
    private final Wire wire;
    private final int mtu;
    private final Duration queue;

    /**
     * The two ends of a link.
     *
     * @param upNamespace namespace of the device that sends into the network
     * @param upDevice device that sends into the network
     * @param hub namespace of the other end
     * @param downDevice device that sends to the host or rack
     */
    record Wire(String upNamespace, String upDevice, String hub, String downDevice) {
        static Wire of(LabName lab, LinkName name) {
            return name.rack()
                    ? new Wire(lab.hub(), RACK_END + name.index(), lab.hub(), CORE_END + name.index())
                    : new Wire(lab.host(name.index()), HOST_DEVICE, lab.hub(), HOST_PORT + name.index());
        }
    }

    Link(LabName lab, LinkName name, LabPlan plan) {
        this.name = name;
        wire = Wire.of(lab, name);
        mtu = plan.mtu();
        queue = plan.queue();
    }

    public LinkName name() {
        return name;
    }

    Wire wire() {
        return wire;
    }

    /** Gives a new link its rates. */
    void shape(long uplink, long downlink) {
        setRate("add", wire.upNamespace(), wire.upDevice(), uplink);
        setRate("add", wire.hub(), wire.downDevice(), downlink);
    }

    /** Changes the rate in both directions. Waiting frames stay in the queue and leave at the new rate. */
    public void rate(long bitsPerSecond) {
        uplink(bitsPerSecond);
        downlink(bitsPerSecond);
    }

    /** Changes the rate into the network; bits per second. */
    public void uplink(long bitsPerSecond) {
        TokenBucket.check("uplink of " + name, bitsPerSecond);
        setRate("change", wire.upNamespace(), wire.upDevice(), bitsPerSecond);
    }

    /** Changes the rate from the network to the host or rack; bits per second. */
    public void downlink(long bitsPerSecond) {
        TokenBucket.check("downlink of " + name, bitsPerSecond);
        setRate("change", wire.hub(), wire.downDevice(), bitsPerSecond);
    }

    /** Cuts the link: both ends lose the carrier, and all waiting frames are lost. */
    public void cut() {
        set("down");
    }

    /** Restores the link with its current rates. */
    public void restore() {
        set("up");
    }

    private void setRate(String verb, String namespace, String device, long bitsPerSecond) {
        String line = TokenBucket.of(bitsPerSecond, mtu, queue).line(verb, device);
        SystemCommand.run(List.of(line), "tc", "-n", namespace, "-batch", "-");
    }

    private void set(String state) {
        SystemCommand.run(List.of(), "ip", "-n", wire.hub(), "link", "set", "dev", wire.downDevice(), state);
    }
}
