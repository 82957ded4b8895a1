package io.sluice.perf.shared;

import io.sluice.console.UnavailableException;
import io.sluice.perf.lab.CrossFlow;
import io.sluice.perf.lab.CrossTraffic;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.nodes.NodeProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Two racks and the shared link between them. The server is in the first rack, the workers are in the second, and cross
 * traffic has a separate host in each, because a host's own link blocks its senders when it is full, and only a switch
 * drops packets. Each turn has a cluster of its own; hosts, links and processes stay.
 */
final class SharedLab implements AutoCloseable {
    private static final int SERVER = 0;
    private static final int RACKS = 2;

    /** How much faster the hosts' links are than the one between the racks. */
    private static final int FASTER = 5;

    /** Long enough for all frames in flight to the server while cross traffic uses most of its link. */
    static final Duration QUEUE = Duration.ofMillis(200);

    private static final int FIRST_PORT = Host.FREE_PORTS;
    private static final int HEAP_MB = 128;
    private static final long START_S = 60;
    private static final long MB = 1 << 20;

    private final Lab lab;
    private final SharedPlan plan;
    private final List<Host> hosts;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private int turns;

    private SharedLab(Lab lab, SharedPlan plan) {
        this.lab = lab;
        this.plan = plan;
        this.hosts = new ArrayList<>(lab.hosts().subList(inRack(plan), inRack(plan) + plan.workers()));
        hosts.addFirst(lab.host(SERVER));
    }

    /**
     * Builds the lab and starts all nodes.
     *
     * @throws UnavailableException if the lab cannot be built or a node does not start
     */
    static SharedLab start(SharedPlan plan) throws IOException, InterruptedException {
        Lab lab = Lab.build(new LabPlan()
                .hosts(RACKS * inRack(plan))
                .racks(RACKS)
                .rate(FASTER * plan.rate())
                .rackRate(plan.rate())
                .queue(QUEUE));
        SharedLab shared = new SharedLab(lab, plan);
        try {
            int heap = (int) (HEAP_MB + 4L * plan.elements() * Float.BYTES / MB);
            shared.nodes.addAll(NodeProcess.onAll(shared.hosts, heap, SharedPlan.WINDOW));
            return shared;
        } catch (IOException | InterruptedException | RuntimeException e) {
            shared.close();
            throw e;
        }
    }

    /**
     * Runs the job once, in a cluster of its own, with cross traffic in the middle.
     *
     * @param threshold decides which share of updates is sent
     * @param seconds   limit for a phase
     * @return the measurements
     * @throws UnavailableException if a node fails, or the replicas differ
     */
    Turn turn(Threshold threshold, long seconds) throws IOException, InterruptedException {
        String cluster = hosts.getFirst().address() + ":" + (FIRST_PORT + turns++);
        NodeProcess.Answer<Long> served =
                nodes.getFirst().order(new SharedNode.Serve(cluster, driver(0), threshold.filter(plan), plan));
        List<NodeProcess.Answer<Clocks>> trained = new ArrayList<>();
        for (int node = 1; node < nodes.size(); node++) {
            trained.add(nodes.get(node).order(new SharedNode.Train(cluster, node - 1, driver(node), plan)));
        }
        List<Traffic> traffic = new ArrayList<>();
        NodeProcess first = nodes.get(1);
        first.awaitLine(START_S + seconds);
        Traffic start = Traffic.read(lab, hosts);
        for (Phase phase : Phase.values()) {
            List<CrossTraffic> others = phase == Phase.CROSS ? cross() : List.of();
            first.awaitLine(seconds);
            others.forEach(CrossTraffic::close);
            Traffic end = Traffic.read(lab, hosts);
            traffic.add(end.since(start));
            start = end;
        }
        List<Clocks> seen = new ArrayList<>();
        for (NodeProcess.Answer<Clocks> answer : trained) {
            seen.add(answer.await(seconds));
        }
        served.await(seconds);
        if (seen.stream().mapToInt(Clocks::checksum).distinct().count() > 1) {
            throw new UnavailableException("the replicas of the workers differ: updates were lost or duplicated");
        }
        return new Turn(seen, traffic);
    }

    private String driver(int node) {
        return NodeProcess.driverOf(hosts.get(node)).toString();
    }

    private List<CrossTraffic> cross() throws IOException, InterruptedException {
        int near = inRack(plan) - 1;
        int far = lab.hosts().size() - 1;
        long rate = Math.round(plan.cross() * plan.rate());
        return List.of(lab.cross(CrossFlow.udp(far, near, rate)), lab.cross(CrossFlow.udp(near, far, rate)));
    }

    /** Number of hosts of a rack: those of workers, or the server's and idle ones, and one for cross traffic. */
    private static int inRack(SharedPlan plan) {
        return plan.workers() + 1;
    }

    @Override
    public void close() {
        lab.close();
    }
}
