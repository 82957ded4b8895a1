package io.sluice.perf.simulation;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.topology.Topology;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * A discrete-event simulation of a plan, frame by frame.
 *
 * <p>Each uplink and downlink of a host, an edge switch or an aggregation switch serves frames one at a time, first
 * come first served, at its rate. A relay forwards a frame when it has received all of it; the network between two
 * hosts forwards it packet by packet, so a frame is on several links at once, and ends on each link after the previous
 * link. Servers send each frame to all children before the next frame. Buffers have no bounds: a slow child delays a
 * host only through the uplink that they share.
 *
 * <p>Not modelled: headers, loss, flow control, the time that hosts compute, and paths whose bandwidth was measured
 * between two hosts: all frames travel at the rates of links.
 */
public final class BroadcastSimulation {
    private final BroadcastJob job;
    private final List<RelayTree> trees;
    private final Topology topology;
    private final Queue<Event> queue = new PriorityQueue<>();

    /** For each stage, the times from which its links are free. */
    private final Map<Stage, double[]> free = new EnumMap<>(Stage.class);

    private long deliveries;
    private double finish;

    /** The links on the way of a frame from a host to another. */
    private enum Stage {
        HOST_UP,
        EDGE_UP,
        AGGREGATION_UP,
        AGGREGATION_DOWN,
        EDGE_DOWN,
        HOST_DOWN
    }

    /**
     * A frame at the beginning of a link.
     *
     * @param first time at which its first bit is there
     * @param last  time at which its last bit is there
     * @param site  the host to which it is sent; for {@link Stage#HOST_UP}, the server that sends it to all children
     */
    private record Event(double first, double last, Stage stage, RelayTree tree, int site, long frame)
            implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return Double.compare(first, other.first);
        }
    }

    /** Prepares a simulation. */
    public BroadcastSimulation(BroadcastJob job, Forest plan) {
        this.job = job;
        this.trees = plan.trees();
        this.topology = job.topology();
        for (Stage stage : Stage.values()) {
            int links = switch (stage) {
                case HOST_UP, HOST_DOWN -> job.sites();
                case EDGE_UP, EDGE_DOWN -> topology.edges().size();
                case AGGREGATION_UP, AGGREGATION_DOWN -> topology.aggregations().size();
            };
            free.put(stage, new double[links]);
        }
    }

    /**
     * Runs the simulation once.
     *
     * @return seconds until the last host has the last byte
     */
    public double run() {
        trees.forEach(tree -> queue.add(new Event(0, 0, Stage.HOST_UP, tree, tree.root(), 0)));
        while (!queue.isEmpty()) {
            pass(queue.remove());
        }
        return finish;
    }

    /** Number of frames that have arrived at hosts. */
    public long deliveries() {
        return deliveries;
    }

    private double bytes(Event event) {
        return Math.min(job.frameBytes(), event.tree().bytes() - event.frame() * job.frameBytes());
    }

    private void pass(Event event) {
        int to = event.site();
        int from = event.tree().parent(to);
        switch (event.stage()) {
            case HOST_UP -> send(event);
            case EDGE_UP -> {
                boolean same = job.aggregation(from) == job.aggregation(to);
                double rate = topology.edges().get(job.edge(from)).uplink();
                onward(event, job.edge(from), rate, same ? Stage.EDGE_DOWN : Stage.AGGREGATION_UP);
            }
            case AGGREGATION_UP -> {
                int link = job.aggregation(from);
                onward(event, link, topology.aggregations().get(link).uplink(), Stage.AGGREGATION_DOWN);
            }
            case AGGREGATION_DOWN -> {
                int link = job.aggregation(to);
                onward(event, link, topology.aggregations().get(link).downlink(), Stage.EDGE_DOWN);
            }
            case EDGE_DOWN -> {
                int link = job.edge(to);
                onward(event, link, topology.edges().get(link).downlink(), Stage.HOST_DOWN);
            }
            default -> {
                double there = serve(event, to, job.downlink(to));
                deliveries++;
                finish = Math.max(finish, there);
                forward(event, there);
            }
        }
    }

    /** Sends a frame of a server, and then the next one. */
    private void send(Event event) {
        RelayTree tree = event.tree();
        forward(event, event.first());
        long next = event.frame() + 1;
        if (next * job.frameBytes() < tree.bytes() && tree.degree(tree.root()) > 0) {
            double time = free.get(Stage.HOST_UP)[tree.root()];
            queue.add(new Event(time, time, Stage.HOST_UP, tree, tree.root(), next));
        }
    }

    /** Sends a frame on a host's uplink, once for each child. */
    private void forward(Event event, double time) {
        RelayTree tree = event.tree();
        int site = event.site();
        double seconds = bytes(event) / job.uplink(site);
        double[] up = free.get(Stage.HOST_UP);
        for (int i = 0; i < tree.degree(site); i++) {
            int child = tree.child(site, i);
            Stage next = job.edge(site) == job.edge(child) ? Stage.HOST_DOWN : Stage.EDGE_UP;
            double start = Math.max(up[site], time);
            double first = start + topology.latency();
            queue.add(new Event(first, first + seconds, next, tree, child, event.frame()));
            up[site] = start + seconds;
        }
    }

    private void onward(Event event, int link, double rate, Stage next) {
        double start = Math.max(free.get(event.stage())[link], event.first());
        queue.add(new Event(start, serve(event, link, rate), next, event.tree(), event.site(), event.frame()));
    }

    /** Serves a frame on a link; returns when its last bit is at the end. */
    private double serve(Event event, int link, double rate) {
        double[] times = free.get(event.stage());
        times[link] = Math.max(times[link], event.first()) + bytes(event) / rate;
        return Math.max(times[link], event.last());
    }
}
