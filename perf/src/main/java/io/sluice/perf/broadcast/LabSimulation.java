package io.sluice.perf.broadcast;

import io.sluice.codecs.Frame;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.simulation.BroadcastSimulation;
import io.sluice.tree.planning.Placement;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.topology.Topology;
import java.util.stream.IntStream;

/**
 * Simulates a broadcast of the lab by the trees that its nodes plan, to check the simulator. Links carry their rate
 * less all headers, and a sender no more than its budget. Computing takes no time, and no packet is lost.
 */
final class LabSimulation {
    /** Latency from host to host: a virtual switch of this machine, and threads that are woken. */
    private static final double LATENCY = 100e-6;

    private static final long SEED = 1;

    private LabSimulation() {}

    /** Simulates a broadcast by the planner of that name; returns seconds. */
    static double seconds(Star star, long bytes, String tree, int sliceElements) {
        int payload = sliceElements * Float.BYTES;
        int servers = star.servers();
        BroadcastJob job = new BroadcastJob(
                topology(star, payload),
                IntStream.range(0, servers).toArray(),
                IntStream.range(servers, star.hosts()).toArray(),
                Placement.shards(bytes, servers),
                payload,
                SEED);
        return new BroadcastSimulation(job, TreePlanners.named(tree).plan(job.withPushes())).run();
    }

    private static Topology topology(Star star, int payload) {
        int frame = Frame.DATA_LENGTH + payload;
        double link = payload / star.frameSeconds(frame);
        double uplink = Math.min(link, star.sendingRate(frame, payload));
        Topology.Builder builder = new Topology.Builder().latency(LATENCY);
        int pod = builder.aggregation("pod", Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
        int rack = builder.edge(pod, "rack", Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
        for (int host = 0; host < star.hosts(); host++) {
            builder.host(rack, "h" + host, uplink, link);
        }
        return builder.build();
    }
}
