package io.sluice.perf.layers;

import io.sluice.console.UnavailableException;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.Link;
import io.sluice.perf.nodes.NodeProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The hosts, servers first, and the process on each. Each turn has a cluster of its own; hosts, links and
 * processes stay.
 */
final class LayersLab implements AutoCloseable {
    /** Capacity of a link's queue as a time: enough for one frame from each worker at once. */
    static final Duration QUEUE = Duration.ofMillis(200);

    private static final int FIRST_PORT = Host.FREE_PORTS;
    private static final int PORTS = 10_000;
    private static final int HEAP_MB = 128;
    private static final long MB = 1 << 20;

    /** Maximum number of frames in an outbox. */
    private static final int MOST_FRAMES = 16_384;

    private final Lab lab;
    private final TrainingPlan plan;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private int turns;

    private LayersLab(Lab lab, TrainingPlan plan) {
        this.lab = lab;
        this.plan = plan;
    }

    /**
     * Builds the lab and starts all nodes.
     *
     * @throws UnavailableException if the lab cannot be built or a node does not start
     */
    static LayersLab start(TrainingPlan plan, long rate) throws IOException, InterruptedException {
        LabPlan network =
                new LabPlan().hosts(plan.servers() + plan.workers()).rate(rate).queue(QUEUE);
        LayersLab layers = new LayersLab(Lab.build(network), plan);
        try {
            int heap = (int) (HEAP_MB + 2 * plan.model().elements() * Float.BYTES / MB);
            layers.nodes.addAll(NodeProcess.onAll(layers.lab.hosts(), heap, 0));
            return layers;
        } catch (IOException | InterruptedException | RuntimeException e) {
            layers.close();
            throw e;
        }
    }

    /** Gives all links a rate. */
    void rate(long bitsPerSecond) {
        lab.links().forEach((Link link) -> link.rate(bitsPerSecond));
    }

    /**
     * Trains once, in a cluster of its own.
     *
     * @param method method of synchronisation
     * @param rate    rate of the links
     * @param seconds limit of the duration
     * @return the measurements of all workers
     */
    Turn turn(SyncMethod method, long rate, long seconds) throws InterruptedException {
        long dropped = dropped();
        String cluster = lab.host(0).address() + ":" + (FIRST_PORT + turns++ % PORTS);
        // The outbox has room for all waiting frames of a worker, so no update waits for a link.
        int frames = Math.clamp(plan.model().slices(method.sliceElements()) + 1L, 2, MOST_FRAMES);
        List<NodeProcess.Answer<Long>> served = new ArrayList<>();
        List<NodeProcess.Answer<Training>> trained = new ArrayList<>();
        for (Host host : lab.hosts()) {
            NodeProcess node = nodes.get(host.index());
            String driver = NodeProcess.driverOf(host).toString();
            int worker = host.index() - plan.servers();
            if (worker < 0) {
                served.add(node.order(new LayersNode.Serve(cluster, host.index(), driver, plan, method, rate)));
            } else {
                trained.add(node.order(new LayersNode.Train(cluster, worker, driver, plan, frames)));
            }
        }
        List<Training> seen = new ArrayList<>();
        for (NodeProcess.Answer<Training> answer : trained) {
            seen.add(answer.await(seconds));
        }
        for (NodeProcess.Answer<Long> answer : served) {
            answer.await(seconds);
        }
        return new Turn(seen.stream().reduce(Training::and).orElseThrow(), dropped() - dropped);
    }

    private long dropped() {
        return lab.traffic().stream()
                .mapToLong(link -> link.up().dropped() + link.down().dropped())
                .sum();
    }

    @Override
    public void close() {
        lab.close();
    }

    /**
     * The measurements of a turn.
     *
     * @param training measurements of all workers
     * @param dropped  packets dropped by full queues of links
     */
    record Turn(Training training, long dropped) {}
}
