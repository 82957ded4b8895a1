package io.sluice.trials.control;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Coordinator;
import io.sluice.consistency.membership.EventLog;
import io.sluice.consistency.membership.Leadership;
import io.sluice.consistency.membership.Presence;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.SnapshotOrders;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.api.Endpoint;
import io.sluice.trials.control.SimulatedCoordinators.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.agrona.concurrent.NanoClock;

/**
 * One schedule: a job of real coordinators and nodes in one thread, on simulated time, with faults that its seed
 * determines. The invariants are checked after each duty cycle of a node. Some time after the last fault every process
 * must have ended, with its work completed or with a reason.
 */
final class ControlSimulation {
    /**
     * The result of a schedule.
     *
     * @param seed      repeats the schedule
     * @param scenario  drawn from the seed
     * @param violation description of a broken invariant; null for none
     * @param steps     duty cycles of coordinators and nodes
     * @param frames    control frames sent
     * @param faults    faults injected
     * @param done      whether all nodes completed their work in spite of the faults
     * @param trace     one line for each event; empty unless tracing
     */
    record Result(
            long seed,
            Scenario scenario,
            String violation,
            int steps,
            long frames,
            int faults,
            boolean done,
            List<String> trace) {}

    private static final long MS = SimulatedNetwork.MS;
    private static final long FIRST_FAULT_NS = 50 * MS;
    private static final long LAST_FAULT_NS = 2_500 * MS;

    /** How long nodes wait for a dead node or without a coordinator. */
    private static final long WAIT_NS = 15_000 * MS;

    /** Time after the last fault in which every wait ends, even the longest. */
    private static final long PATIENCE_NS = 90_000 * MS;

    private static final long LEAVE_LIMIT_NS = 1_000 * MS;
    private static final int MOST_RESTARTS = 3;
    private static final ClusterSecret SECRET = ClusterSecret.of(new byte[32]);

    private final Random random;
    private final Scenario scenario;
    private final boolean tracing;

    /** Delay of the last worker's start. */
    private final long lateNs;

    private final List<String> trace = new ArrayList<>();
    private final SimulatedNetwork network;
    private final Training training;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Endpoint> addresses = new ArrayList<>();
    private final EventLog embeddedLog = new EventLog();

    /** The processes of several coordinators; null if server 0 is the only coordinator. */
    private SimulatedCoordinators coordinators;

    /** Cluster states by the number of their last event, as in the first process that reached the event. */
    private final Map<Long, String> states = new HashMap<>();

    private ClusterSecret secret;
    private int nextPort = 30_000;
    private int steps;
    private int faults;
    private int restarts;
    private boolean calm;
    private String violation;

    private ControlSimulation(long seed, boolean tracing, long lateNs) {
        this.random = new Random(seed);
        this.tracing = tracing;
        this.lateNs = lateNs;
        this.scenario = Scenario.draw(random);
        this.faults = scenario.lossy() ? 1 : 0;
        this.network = new SimulatedNetwork(random);
        network.lossy(scenario.lossy());
        this.training = new Training(scenario.settings().servers());
    }

    /**
     * Runs a schedule.
     *
     * @param seed    seed of all random choices
     * @param tracing whether to record events
     * @return the result
     */
    static Result run(long seed, boolean tracing) {
        return run(seed, tracing, 0);
    }

    /** Runs a schedule whose last worker starts later than the others; faults begin after its start. */
    static Result run(long seed, boolean tracing, long lateNs) {
        ControlSimulation simulation = new ControlSimulation(seed, tracing, lateNs);
        try {
            simulation.run();
        } catch (RuntimeException e) {
            simulation.judge("the simulated code threw " + e + " at " + e.getStackTrace()[0]);
        }
        boolean done = simulation.nodes.stream().noneMatch(node -> node.isAlive() || null != node.reason);
        return new Result(
                seed,
                simulation.scenario,
                simulation.violation,
                simulation.steps,
                simulation.network.frames(),
                simulation.faults,
                done,
                simulation.trace);
    }

    private void run() {
        secret = scenario.secret() ? SECRET : null;
        if (scenario.coordinators() > 1) {
            coordinators = new SimulatedCoordinators(this, random, secret, scenario.coordinators());
            coordinators.members().forEach(member -> addresses.add(member.address));
        } else {
            addresses.add(freeEndpoint());
        }
        for (int server = 0; server < scenario.settings().servers(); server++) {
            launch(Role.SERVER, server, false);
        }
        int last = scenario.settings().workers() - 1;
        for (int worker = 0; worker < last; worker++) {
            launch(Role.WORKER, worker, false);
        }
        if (lateNs > 0) {
            network.at(lateNs, () -> launch(Role.WORKER, last, false));
        } else {
            launch(Role.WORKER, last, false);
        }
        long firstFaultNs = lateNs + FIRST_FAULT_NS;
        for (int fault = 0; fault < scenario.faults(); fault++) {
            network.at(firstFaultNs + (long) (random.nextDouble() * LAST_FAULT_NS), this::disturb);
        }
        network.at(firstFaultNs + LAST_FAULT_NS, this::calmDown);
        long endNs = firstFaultNs + LAST_FAULT_NS + PATIENCE_NS;
        while (null == violation && network.nowNs() < endNs && !isOver() && network.step()) {
            // each step is an event of a process or of the network
        }
        if (null == violation) {
            judgeTheEnd();
        }
    }

    private boolean isOver() {
        return calm && nodes.stream().noneMatch(SimulatedNode::isAlive);
    }

    private void launch(Role role, int index, boolean newcomer) {
        boolean coordinates = null == coordinators && Role.SERVER == role && 0 == index && !newcomer;
        nodes.add(new SimulatedNode(this, role, index, addresses, secret, coordinates));
    }

    // ---- Faults

    private void calmDown() {
        calm = true;
        network.heal();
        trace(() -> "the network heals");
        if (null != coordinators) {
            coordinators.members().stream().filter(member -> !member.isAlive()).forEach(Member::start);
        }
    }

    private void disturb() {
        List<SimulatedNode> alive =
                nodes.stream().filter(SimulatedNode::isAlive).toList();
        if (alive.isEmpty()) {
            return;
        }
        SimulatedNode node = alive.get(random.nextInt(alive.size()));
        long forNs = Math.min((long) (random.nextDouble() * LAST_FAULT_NS), longestFaultNs());
        int kind = random.nextInt(12);
        if (kind < 3 && !disturbMembership(node, kind)) {
            kind += 3;
        }
        switch (kind) {
            case 3, 4 -> {
                trace(() -> node.name() + " is killed");
                node.kill();
            }
            case 5 -> {
                node.pausedUntilNs = network.nowNs() + forNs / 2;
                trace(() -> node.name() + " stalls for " + forNs / 2 / MS + " ms");
            }
            case 6, 7 -> cut(node, forNs);
            case 8 -> {
                network.delays(forNs / 8);
                trace(() -> "frames take up to " + forNs / 8 / MS + " ms");
            }
            case 9 -> {
                Failure failure = random.nextBoolean() ? Failure.PEER_FAILED : Failure.PROTOCOL_BREACH;
                trace(() -> node.name() + " fails: " + failure);
                node.fail(failure, "reported fault " + faults);
            }
            case 10 -> {
                node.aheadNs += forNs;
                trace(() -> "the clock of " + node.name() + " jumps by " + forNs / MS + " ms");
            }
            case 11 -> disturbCoordinators(forNs);
            default -> {
                return;
            }
        }
        faults++;
    }

    /** The longest duration of a fault that begins now and ends before the faultless phase. */
    private long longestFaultNs() {
        return lateNs + FIRST_FAULT_NS + LAST_FAULT_NS - network.nowNs();
    }

    /** Lets a node join, leave or request its demotion; false if that is not possible. */
    private boolean disturbMembership(SimulatedNode node, int kind) {
        if (kind < 2 && !scenario.settings().isElastic()) {
            return false;
        }
        switch (kind) {
            case 0 -> {
                Role role = random.nextBoolean()
                                || scenario.settings().serverPlaces()
                                        == scenario.settings().servers()
                        ? Role.WORKER
                        : Role.SERVER;
                trace(() -> "a " + role.configName() + " joins");
                launch(role, -1, true);
            }
            case 1 -> {
                if (node.coordinates()) {
                    return false;
                }
                trace(() -> node.name() + " requests to leave");
                node.requestLeave();
            }
            default -> {
                if (!node.requestDemotion()) {
                    return false;
                }
                trace(() -> node.name() + " requests its demotion");
            }
        }
        faults++;
        return true;
    }

    private void cut(SimulatedNode node, long forNs) {
        List<SimulatedNetwork.Host> others = new ArrayList<>();
        nodes.stream().filter(other -> other.isAlive() && other != node).forEach(other -> others.add(other.host));
        if (null != coordinators) {
            coordinators.members().forEach(member -> others.add(member.host));
        }
        boolean whole = random.nextBoolean(); // otherwise cut off from some of the other hosts
        boolean out = random.nextInt(3) > 0;
        boolean in = !out || random.nextBoolean();
        trace(() -> node.name() + " is cut off for " + forNs / MS + " ms" + (whole ? "" : " from some hosts")
                + (out && in ? "" : out ? ", outbound only" : ", inbound only"));
        for (SimulatedNetwork.Host other : others) {
            if (whole || random.nextBoolean()) {
                if (out) {
                    network.cut(node.host, other, forNs);
                }
                if (in) {
                    network.cut(other, node.host, forNs);
                }
            }
        }
    }

    private void disturbCoordinators(long forNs) {
        if (null == coordinators) {
            network.delays(forNs / 16);
            return;
        }
        List<Member> members = coordinators.members();
        Member member = members.get(random.nextInt(members.size()));
        switch (random.nextInt(4)) {
            case 0 -> {
                if (member.isAlive()) {
                    trace(() -> "coordinator " + member.id + " is killed");
                    member.kill();
                    network.at(network.nowNs() + forNs, () -> {
                        if (!member.isAlive()) {
                            trace(() -> "coordinator " + member.id + " starts again");
                            member.start();
                        }
                    });
                }
            }
            case 1 -> {
                trace(() -> "coordinator " + member.id + " stalls for " + forNs / 2 / MS + " ms");
                member.pausedUntilNs = network.nowNs() + forNs / 2;
            }
            case 2 -> {
                trace(() -> "coordinator " + member.id + " is cut off for " + forNs / MS + " ms");
                for (Member other : members) {
                    if (other != member) {
                        network.cut(member.host, other.host, forNs);
                        network.cut(other.host, member.host, forNs);
                    }
                }
                if (random.nextBoolean()) {
                    nodes.forEach(node -> network.cut(node.host, member.host, forNs));
                }
            }
            default -> {
                trace(() -> "the clock of coordinator " + member.id + " jumps by " + forNs / MS + " ms");
                member.aheadNs += forNs;
            }
        }
    }

    // ---- Services for the simulated processes

    SimulatedNetwork network() {
        return network;
    }

    Training training() {
        return training;
    }

    Scenario scenario() {
        return scenario;
    }

    int rounds() {
        return scenario.rounds();
    }

    long waitNs() {
        return WAIT_NS;
    }

    long lateNs() {
        return lateNs;
    }

    /** How long a real process waits for the decision on its request to leave. */
    long leaveLimitNs() {
        return null == coordinators ? LEAVE_LIMIT_NS : WAIT_NS;
    }

    /** Records a node that has completed its work and received no decision on its request to leave. */
    void missedDecision(SimulatedNode node, long sinceNs) {
        if (calm
                && null != coordinators
                && sinceNs > lateNs + FIRST_FAULT_NS + LAST_FAULT_NS
                && null == state().failure()) {
            judge(node.name() + " requested to leave after the last fault, and no decision reached it");
        }
    }

    long tickNs() {
        return 20 * MS + (long) (random.nextDouble() * 60 * MS);
    }

    long delayNs() {
        return network.delayNs();
    }

    long computeNs() {
        return (long) (random.nextDouble() * 250 * MS);
    }

    Endpoint freeEndpoint() {
        return new Endpoint("127.0.0.1", nextPort++);
    }

    Coordinator embedded(SimulatedNetwork.Host host, NanoClock clock, Endpoint address) {
        return new Coordinator(
                host,
                address,
                scenario.settings(),
                1,
                snapshotOrders(),
                WAIT_NS,
                clock,
                secret,
                new Leadership(embeddedLog, null, -1, 0));
    }

    SnapshotOrders snapshotOrders() {
        return 0 == scenario.snapshotClocks()
                ? SnapshotOrders.none()
                : new SnapshotOrders(new SnapshotInterval(scenario.snapshotClocks(), 0), Restoration.NONE);
    }

    /** Compares the cluster state of a process with that of others that have applied as many events. */
    void compare(String name, ClusterState state) {
        String text = state.toString();
        String other = states.putIfAbsent(state.number(), text);
        if (null != other && !other.equals(text)) {
            judge(name + " has the state " + text + ", and another process has " + other);
        }
    }

    void counted() {
        steps++;
    }

    void trace(Supplier<String> line) {
        if (tracing) {
            trace.add(String.format("%9.3f  %s", network.nowNs() / (double) (1_000 * MS), line.get()));
        }
    }

    /** Records a violation, unless it is null. */
    void judge(String found) {
        if (null == violation && null != found) {
            violation = found;
            trace(() -> "VIOLATION: " + found);
        }
    }

    /** Handles the end of a process: starts it again, as a launcher would, if the others wait for it. */
    void ended(SimulatedNode node) {
        boolean waits = scenario.settings().awaitsTheDead() && !node.coordinates();
        boolean refused = null != node.reason && node.reason.endsWith("has already joined");
        if (waits && refused && state().isComplete()) {
            judge(node.name() + " is rejected although it replaces a dead process");
        }
        if (waits
                && null != node.reason
                && node.index() >= 0
                && restarts < MOST_RESTARTS
                && null == state().failure()) {
            restarts++;
            network.at(network.nowNs() + (long) (random.nextDouble() * LAST_FAULT_NS), () -> {
                trace(() -> node.name() + " is started again");
                launch(node.role, node.index(), false);
            });
        }
    }

    private ClusterState state() {
        return null == coordinators ? embeddedLog.state() : coordinators.state();
    }

    // ---- End

    private void judgeTheEnd() {
        judge(training.judge());
        judge(training.judgeSnapshot(state()));
        if (null != state().failure() && Failure.PEER_LEFT == state().failure().failure()) {
            judge("a failed node was reported as having left in order: "
                    + state().failure().message());
        }
        for (SimulatedNode node : nodes) {
            if (node.isAlive()) {
                trace(node::waiting);
                judge("a hang: " + node.waiting());
            } else if (null != node.reason && 0 == faults) {
                judge(node.name() + " ended without a fault: " + node.reason);
            } else if (null != node.reported && !node.killed) {
                judgeReport(node);
            }
        }
    }

    /** A node that reported a failure must not count as a node that left. */
    private void judgeReport(SimulatedNode node) {
        ClusterState state = state();
        int id = node.incarnation.node();
        if (null == state.failure()
                && !state.isOver()
                && node.incarnation.equals(state.incarnation(id))
                && state.member(id).presence() == Presence.LEFT) {
            judge("a report is lost: " + node.name() + " reported '" + node.reported + "', and counts as left");
        }
    }
}
