package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.topology.Topology;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Jobs over random networks, the same for the same seed. */
final class RandomJob {
    private static final double MBIT = 125_000;

    /** The default slice length and a round number: their seconds are rounded differently. */
    private static final int[] FRAMES = {65_344, 65_536};

    private RandomJob() {}

    /**
     * Creates a job.
     *
     * @param seed     seed of the job
     * @param together whether servers may share hosts with workers and with each other
     * @param equal    whether all hosts have links of the same rate
     */
    static BroadcastJob of(long seed, boolean together, boolean equal) {
        SplittableRandom random = new SplittableRandom(seed);
        Topology.Builder builder = new Topology.Builder().latency(random.nextInt(3) * 50e-6);
        int hosts = 0;
        int pods = random.nextInt(1, 4);
        for (int pod = 0; pod < pods; pod++) {
            int above = builder.aggregation("pod" + pod, limit(random), limit(random));
            int racks = random.nextInt(1, 4);
            for (int rack = 0; rack < racks; rack++) {
                int edge = builder.edge(above, "rack" + pod + "-" + rack, limit(random), limit(random));
                int count = random.nextInt(1, 12);
                for (int i = 0; i < count; i++) {
                    double up = equal ? 1_000 * MBIT : random.nextInt(1, 11) * 100 * MBIT;
                    double down = equal ? 1_000 * MBIT : random.nextInt(1, 11) * 100 * MBIT;
                    builder.host(edge, "h" + hosts++, up, down);
                }
            }
        }
        while (hosts < 6) {
            builder.host(0, "h" + hosts++, 1_000 * MBIT, 1_000 * MBIT);
        }
        int servers = random.nextInt(1, 5);
        int[] shuffled = random.ints(0, Integer.MAX_VALUE).limit(hosts).toArray();
        Integer[] order = new Integer[hosts];
        Arrays.setAll(order, host -> host);
        Arrays.sort(order, (one, other) -> Integer.compare(shuffled[one], shuffled[other]));
        int[] serverHosts = new int[servers];
        int[] workerHosts = new int[random.nextInt(1, hosts - servers + 1)];
        for (int i = 0; i < servers; i++) {
            serverHosts[i] = together ? random.nextInt(hosts) : order[i];
        }
        for (int i = 0; i < workerHosts.length; i++) {
            workerHosts[i] = together ? random.nextInt(hosts) : order[servers + i];
        }
        long[] bytes = random.longs(servers, 1, 1 << 26).toArray();
        if (equal) {
            Arrays.fill(bytes, bytes[0]);
        }
        return new BroadcastJob(builder.build(), serverHosts, workerHosts, bytes, FRAMES[(int) (seed / 6 % 2)], seed);
    }

    private static double limit(SplittableRandom random) {
        return random.nextBoolean() ? Double.POSITIVE_INFINITY : random.nextInt(1, 41) * 1_000 * MBIT;
    }
}
