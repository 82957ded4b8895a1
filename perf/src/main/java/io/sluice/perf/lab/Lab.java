package io.sluice.perf.lab;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.agrona.CloseHelper;

/**
 * A network of hosts inside this machine. Every host is a network namespace, connected by a pair of virtual Ethernet
 * devices to a switch, which is a bridge in a namespace of the lab. Each device of a pair sends no faster than the
 * link's rate. The machine's own network is unchanged.
 *
 * <p>A lab ends with {@link #close}, or with this process if that exits or a signal ends it: the processes on its hosts
 * are ended, and all of its namespaces and folders are removed. Only after {@code kill -9} they remain until the next
 * lab is built on this machine, which removes every lab whose process has ended.
 *
 * <p>Thread-safe.
 */
public final class Lab implements AutoCloseable {
    private static final Path IPV6 = Path.of("/proc/sys/net/ipv6/conf");
    private static final long POLL_NS = 5_000_000;
    private static final long PATIENCE_NS = 10_000_000_000L;

    private final LabName name = LabName.next();
    private final LabPlan plan;
    private final List<Host> hosts = new ArrayList<>();
    private final List<Link> racks = new ArrayList<>();
    private final List<Runnable> atEnd = new ArrayList<>();
    private final Thread hook;
    private volatile boolean closed;

    private Lab(LabPlan plan) {
        this.plan = plan;
        for (int host = 0; host < plan.hosts(); host++) {
            hosts.add(new Host(name, host, plan));
        }
        for (int rack = 0; rack < plan.racks(); rack++) {
            racks.add(new Link(name, LinkName.rack(rack), plan));
        }
        hook = Thread.ofPlatform().name("remove " + name).unstarted(this::remove);
    }

    /**
     * Removes the labs of killed processes, then builds a lab.
     *
     * @throws IllegalArgumentException if the plan is invalid
     * @throws UnavailableException if Linux, root or a tool is missing, or the kernel refuses; nothing remains then
     */
    public static Lab build(LabPlan plan) {
        plan.conclude();
        LabRemains.removeStale();
        Lab lab = new Lab(plan);
        try {
            lab.make();
        } catch (RuntimeException | Error e) {
            CloseHelper.close(e::addSuppressed, lab);
            throw e;
        }
        return lab;
    }

    /** Holds the lock that removal takes: a lab under construction cannot be removed completely. */
    private synchronized void make() {
        Runtime.getRuntime().addShutdownHook(hook);
        addNamespace(name.hub());
        for (Host host : hosts) {
            addNamespace(host.namespace());
            createFolder(host.folder());
        }
        SystemCommand.run(switchLines(), "ip", "-n", name.hub(), "-batch", "-");
        for (Host host : hosts) {
            List<String> lines = List.of(
                    "link set dev lo up",
                    "address add " + host.address() + "/24 dev "
                            + host.link().wire().upDevice(),
                    "link set dev " + host.link().wire().upDevice() + " up");
            SystemCommand.run(lines, "ip", "-n", host.namespace(), "-batch", "-");
        }
        links().forEach(link -> link.shape(plan.uplink(link.name()), plan.downlink(link.name())));
        awaitLinks();
    }

    private static void addNamespace(String namespace) {
        NetworkNamespaces.add(namespace);
        try {
            // IPv6 neighbour discovery would be counted as traffic.
            NamespaceThread.call(namespace, () -> {
                if (Files.exists(IPV6)) {
                    Files.writeString(IPV6.resolve("all/disable_ipv6"), "1");
                    Files.writeString(IPV6.resolve("default/disable_ipv6"), "1");
                }
                return null;
            });
        } catch (IOException e) {
            throw new UnavailableException("IPv6 cannot be disabled in the network lab: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted while the network lab was being built");
        }
    }

    private static void createFolder(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> switchLines() {
        List<String> lines = new ArrayList<>();
        addSwitch(lines, "core");
        for (Link rack : racks) {
            Link.Wire wire = rack.wire();
            String bridge = "rack" + rack.name().index();
            addSwitch(lines, bridge);
            lines.add(pair(wire.downDevice(), wire.upDevice()));
            lines.add("link set dev " + wire.upDevice() + " master " + bridge + " up");
            lines.add("link set dev " + wire.downDevice() + " master core up");
        }
        for (Host host : hosts) {
            Link.Wire wire = host.link().wire();
            int rack = plan.rackOf(host.index());
            lines.add(pair(wire.downDevice(), wire.upDevice() + " netns " + host.namespace()));
            lines.add("link set dev " + wire.downDevice() + " master " + (rack < 0 ? "core" : "rack" + rack) + " up");
        }
        return lines;
    }

    /** Without multicast snooping, a bridge forwards the frames of a group at once. */
    private void addSwitch(List<String> lines, String bridge) {
        lines.add("link add name " + bridge + " type bridge forward_delay 0 mcast_snooping 0");
        lines.add("link set dev " + bridge + " up");
    }

    private String pair(String device, String peer) {
        return "link add name " + device + " mtu " + plan.mtu() + " type veth peer mtu " + plan.mtu() + " name " + peer;
    }

    /** A bridge forwards frames to a port only after the other end of the port is up. */
    private void awaitLinks() {
        long deadline = System.nanoTime() + PATIENCE_NS;
        while (!areUp()) {
            if (System.nanoTime() - deadline > 0) {
                throw new UnavailableException("the links of the network lab are not up after 10 s");
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    private boolean areUp() {
        List<String> up = new ArrayList<>();
        for (JsonNode device : SystemCommand.json("ip", "-n", name.hub(), "-j", "link", "show")) {
            if ("UP".equals(device.path("operstate").asText())) {
                up.add(device.path("ifname").asText());
            }
        }
        return links().allMatch(link -> up.contains(link.wire().downDevice()));
    }

    /** The lab's name, the prefix of all its namespaces. */
    public LabName name() {
        return name;
    }

    public List<Host> hosts() {
        return List.copyOf(hosts);
    }

    /** A host by its number, from 0. */
    public Host host(int index) {
        plan.checkName("host", LinkName.host(index));
        return hosts.get(index);
    }

    /** The link of a host or rack. */
    public Link link(LinkName link) {
        plan.checkName("link", link);
        return link.rack() ? racks.get(link.index()) : hosts.get(link.index()).link();
    }

    /** All links: the hosts', then the racks'. */
    public Stream<Link> links() {
        return Stream.concat(hosts.stream().map(Host::link), racks.stream());
    }

    /** Cuts the link of a host. */
    public void cut(int host) {
        host(host).link().cut();
    }

    /** Restores the link of a host. */
    public void restore(int host) {
        host(host).link().restore();
    }

    /** The traffic of all links so far. */
    public List<LinkTraffic> traffic() {
        return LinkTraffic.read(name);
    }

    /** Starts cross traffic, which runs until it or the lab is closed. */
    public CrossTraffic cross(CrossFlow flow) throws IOException, InterruptedException {
        CrossTraffic traffic = CrossTraffic.start(flow, host(flow.from()), host(flow.to()), plan.mtu());
        atEnd(traffic::close);
        return traffic;
    }

    /**
     * Registers an action for the end of the lab, when the processes of the job have ended and the counters can still
     * be read. A signal's thread may run it.
     *
     * @param action run once; its exceptions are lost
     */
    public void atEnd(Runnable action) {
        synchronized (atEnd) {
            atEnd.add(action);
        }
    }

    /** Whether the lab has ended or is ending. */
    public boolean isClosed() {
        return closed;
    }

    /** Ends the processes on all hosts and removes the lab. Closing a closed lab has no effect. */
    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // The JVM is shutting down: the hook removes the lab, or has nothing to remove.
        }
    }

    private synchronized void remove() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            LabRemains.endProcesses(name);
            runActions();
        } finally {
            LabRemains.removeNetwork(name);
        }
    }

    private void runActions() {
        List<Runnable> actions;
        synchronized (atEnd) {
            actions = List.copyOf(atEnd);
        }
        // The network is removed in any case.
        actions.forEach(action -> CloseHelper.quietClose(action::run));
    }
}
