package io.sluice.perf.simulation;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.topology.Topology;
import java.util.List;

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
    private static final int SITE_BITS = 20;
    private static final int FRAME_BITS = 24;
    private static final int STAGE_BITS = 3;
    private static final int TREE_BITS = Long.SIZE - 1 - SITE_BITS - FRAME_BITS - STAGE_BITS;

    /** Code of the event that a server sends its next frame. */
    private static final int SEND = 0;

    private static final int EDGE_UP = 1;
    private static final int AGGREGATION_UP = 2;
    private static final int AGGREGATION_DOWN = 3;
    private static final int EDGE_DOWN = 4;
    private static final int HOST_DOWN = 5;

    private final BroadcastJob job;
    private final List<RelayTree> trees;
    private final EventQueue queue = new EventQueue();
    private final double[] up;
    private final double[] down;
    private final double[] edgeUp;
    private final double[] edgeDown;
    private final double[] aggregationUp;
    private final double[] aggregationDown;
    private final double latency;
    private long deliveries;
    private double finish;

    /** Prepares a simulation. */
    public BroadcastSimulation(BroadcastJob job, Forest plan) {
        Topology topology = job.topology();
        this.job = job;
        this.trees = plan.trees();
        this.latency = topology.latency();
        this.up = new double[job.sites()];
        this.down = new double[job.sites()];
        this.edgeUp = new double[topology.edges().size()];
        this.edgeDown = new double[edgeUp.length];
        this.aggregationUp = new double[topology.aggregations().size()];
        this.aggregationDown = new double[aggregationUp.length];
        inRange("trees", trees.size(), TREE_BITS);
        inRange("hosts", job.sites(), SITE_BITS);
        trees.forEach(tree -> inRange("frames of a tree", frames(tree), FRAME_BITS));
    }

    private static void inRange(String what, long count, int bits) {
        if (count > 1L << bits) {
            throw new IllegalArgumentException(
                    "the simulation has " + count + " " + what + ", expected up to " + (1L << bits));
        }
    }

    private long frames(RelayTree tree) {
        return (tree.bytes() + job.frameBytes() - 1) / job.frameBytes();
    }

    /**
     * Runs the simulation once.
     *
     * @return seconds until the last host has the last byte
     */
    public double run() {
        for (int i = 0; i < trees.size(); i++) {
            queue.add(0, 0, event(i, trees.get(i).root(), 0, SEND));
        }
        while (!queue.isEmpty()) {
            double time = queue.time();
            long event = queue.poll();
            int stage = (int) event & (1 << STAGE_BITS) - 1;
            if (stage == SEND) {
                send(event, time);
            } else {
                pass(event, stage, time, queue.end());
            }
        }
        return finish;
    }

    /** Number of frames that have arrived at hosts. */
    public long deliveries() {
        return deliveries;
    }

    private static long event(int tree, int site, long frame, int stage) {
        return ((((long) tree << FRAME_BITS | frame) << SITE_BITS) | site) << STAGE_BITS | stage;
    }

    private static int site(long event) {
        return (int) (event >>> STAGE_BITS) & (1 << SITE_BITS) - 1;
    }

    private static long frame(long event) {
        return event >>> STAGE_BITS + SITE_BITS & (1L << FRAME_BITS) - 1;
    }

    private static int tree(long event) {
        return (int) (event >>> STAGE_BITS + SITE_BITS + FRAME_BITS);
    }

    private void send(long event, double time) {
        int index = tree(event);
        RelayTree tree = trees.get(index);
        long next = frame(event) + 1;
        forward(index, tree.root(), frame(event), time);
        if (next < frames(tree) && tree.degree(tree.root()) > 0) {
            double free = up[tree.root()];
            queue.add(free, free, event(index, tree.root(), next, SEND));
        }
    }

    /** Sends a frame on a host's uplink, once for each child. */
    private void forward(int index, int site, long frame, double time) {
        RelayTree tree = trees.get(index);
        double seconds = bytes(tree, frame) / job.uplink(site);
        double free = Math.max(up[site], time);
        for (int i = 0; i < tree.degree(site); i++) {
            int child = tree.child(site, i);
            int stage = job.edge(site) == job.edge(child) ? HOST_DOWN : EDGE_UP;
            queue.add(free + latency, free + latency + seconds, event(index, child, frame, stage));
            free += seconds;
        }
        up[site] = free;
    }

    private double bytes(RelayTree tree, long frame) {
        return Math.min(job.frameBytes(), tree.bytes() - frame * job.frameBytes());
    }

    /** Passes a frame to a link, at which its first and its last bit arrive at different times. */
    private void pass(long event, int stage, double first, double last) {
        int index = tree(event);
        RelayTree tree = trees.get(index);
        int to = site(event);
        int from = tree.parent(to);
        double bytes = bytes(tree, frame(event));
        Topology topology = job.topology();
        switch (stage) {
            case EDGE_UP -> {
                boolean same = job.aggregation(from) == job.aggregation(to);
                Topology.Switch device = topology.edges().get(job.edge(from));
                onward(
                        edgeUp,
                        job.edge(from),
                        bytes / device.uplink(),
                        first,
                        last,
                        event,
                        same ? EDGE_DOWN : AGGREGATION_UP);
            }
            case AGGREGATION_UP -> {
                Topology.Switch device = topology.aggregations().get(job.aggregation(from));
                onward(
                        aggregationUp,
                        job.aggregation(from),
                        bytes / device.uplink(),
                        first,
                        last,
                        event,
                        AGGREGATION_DOWN);
            }
            case AGGREGATION_DOWN -> {
                Topology.Switch device = topology.aggregations().get(job.aggregation(to));
                onward(aggregationDown, job.aggregation(to), bytes / device.downlink(), first, last, event, EDGE_DOWN);
            }
            case EDGE_DOWN -> {
                Topology.Switch device = topology.edges().get(job.edge(to));
                onward(edgeDown, job.edge(to), bytes / device.downlink(), first, last, event, HOST_DOWN);
            }
            default -> {
                double start = Math.max(down[to], first);
                down[to] = start + bytes / job.downlink(to);
                double there = Math.max(down[to], last);
                deliveries++;
                finish = Math.max(finish, there);
                if (tree.degree(to) > 0) {
                    forward(index, to, frame(event), there);
                }
            }
        }
    }

    private void onward(double[] free, int link, double seconds, double first, double last, long event, int next) {
        double start = Math.max(free[link], first);
        free[link] = start + seconds;
        queue.add(start, Math.max(free[link], last), event & -(1L << STAGE_BITS) | next);
    }
}
