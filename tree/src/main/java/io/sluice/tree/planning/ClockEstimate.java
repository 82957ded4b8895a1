package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.TreePlanner;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The cost model of a clock: how long its pushes and its broadcasts occupy links, and how long a clock takes with them.
 *
 * <p>Pushes and broadcasts stream at once, slice by slice: a server broadcasts a slice when it has all pushes of it. If
 * both use one link, such as the uplink of a relay, both take longer in proportion.
 *
 * @param pushSeconds      seconds for which pushes occupy the busiest link
 * @param broadcastSeconds seconds for which broadcasts occupy the busiest link
 * @param fillSeconds      seconds of a frame from a server through the tree to the last worker
 */
public record ClockEstimate(double pushSeconds, double broadcastSeconds, double fillSeconds) {
    /** A clock whose messages take no time. */
    public static final ClockEstimate NOTHING = new ClockEstimate(0, 0, 0);

    /**
     * The share of a link's rate that is available for bytes of the log: 97 % after the headers of Ethernet, IPv4 and
     * UDP on each datagram of 1,408 bytes, less 2 % of slack so that no queue builds up.
     */
    public static final double USED = 0.95;

    /** Fraction of the compute time that the forward pass takes. */
    public static final double FORWARD = 1.0 / 3;

    private static final int ITERATIONS = 24;
    private static final int MOST_SLICES = 4_096;

    /** More staleness than this changes no throughput of workers in lockstep. */
    private static final int MOST_STALENESS = 4;

    /** Instead of no time, so that there is a ratio of pushes to broadcasts. */
    private static final double LEAST_SECONDS = 1e-12;

    /**
     * A layer, which is pushed when it is computed, and needed when its forward pass begins.
     *
     * @param forwardSeconds  time of its forward pass
     * @param backwardSeconds time of its backward pass
     * @param share           its share of all bytes
     * @param slices          slices of it that one server owns, 1 or more
     */
    public record Layer(double forwardSeconds, double backwardSeconds, double share, int slices) {}

    /**
     * Estimates the messages of a clock.
     *
     * @param job  the broadcasts of a clock, and its pushes
     * @param tree planner of the trees, which plans as nodes do
     */
    public static ClockEstimate of(BroadcastJob job, TreePlanner tree) {
        Forest plan = tree.plan(job.withPushes());
        PlanEstimate alone = PlanEstimate.of(job.withoutPushes(), plan);
        double pushSeconds = pushSeconds(job);
        double longer = Math.max(Math.max(pushSeconds, alone.linkSeconds()), LEAST_SECONDS);
        double stretch = PlanEstimate.of(job, plan).linkSeconds() / longer;
        return new ClockEstimate(stretch * pushSeconds, stretch * alone.linkSeconds(), alone.fillSeconds());
    }

    /**
     * The messages of a clock between nodes that have a host each, at one switch.
     *
     * @param servers    number of servers, 1 or more
     * @param workers    number of workers, 1 or more
     * @param rate       bytes per second of each host's link, in each direction
     * @param latency    seconds from host to host
     * @param received   bytes that a worker receives, of all servers
     * @param pushed     bytes that a worker pushes, to all servers
     * @param frameBytes bytes of a frame, 1 or more
     */
    public static BroadcastJob atOneSwitch(
            int servers, int workers, double rate, double latency, double received, double pushed, int frameBytes) {
        BroadcastJob job = new BroadcastJob(
                RackNetwork.oneSwitch(servers + workers, rate, latency),
                IntStream.range(0, servers).toArray(),
                IntStream.range(servers, servers + workers).toArray(),
                Placement.shards(Math.max(servers, (long) received), servers),
                frameBytes,
                1);
        return job.withPushes(pushed / job.bytes());
    }

    private static double pushSeconds(BroadcastJob job) {
        double[] seconds = new double[2 * job.sites()];
        for (int shard = 0; shard < job.shards(); shard++) {
            int root = job.root(shard);
            for (int site = 0; site < job.sites(); site++) {
                seconds[2 * site] += job.pushBytes(shard, site) / job.uplink(site);
                seconds[2 * root + 1] += job.pushBytes(shard, site) / job.downlink(root);
            }
        }
        return Arrays.stream(seconds).max().orElse(0);
    }

    /** The same messages over links that take longer by a factor. */
    public ClockEstimate times(double factor) {
        return new ClockEstimate(factor * pushSeconds, factor * broadcastSeconds, factor * fillSeconds);
    }

    /**
     * The seconds of a clock: the mean of many, one after the other.
     *
     * @param layers    layers in the order of the forward pass
     * @param byLayer   whether slices of the first layers overtake others
     * @param staleness clocks whose updates a worker need not have when it computes
     */
    public double seconds(List<Layer> layers, boolean byLayer, int staleness) {
        double push = Math.max(pushSeconds, LEAST_SECONDS);
        double[][] slices = new double[layers.size()][];
        for (int i = 0; i < slices.length; i++) {
            slices[i] = new double[Math.min(layers.get(i).slices(), MOST_SLICES)];
            Arrays.fill(slices[i], push * layers.get(i).share() / slices[i].length);
        }
        return new Schedule(
                        layers.stream().mapToDouble(Layer::forwardSeconds).toArray(),
                        layers.stream().mapToDouble(Layer::backwardSeconds).toArray(),
                        slices,
                        broadcastSeconds / push,
                        fillSeconds,
                        byLayer,
                        Math.min(staleness, MOST_STALENESS))
                .run(ITERATIONS);
    }
}
