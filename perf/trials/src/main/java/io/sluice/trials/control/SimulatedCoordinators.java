package io.sluice.trials.control;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Coordinator;
import io.sluice.consistency.membership.Event;
import io.sluice.consistency.membership.EventLog;
import io.sluice.consistency.membership.Leadership;
import io.sluice.consistency.membership.SnapshotOrders;
import io.sluice.messaging.api.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.NanoClock;

/**
 * Several coordinators on a model of the replicated log, because the engine (Aeron Cluster) cannot run on a simulated
 * clock. The model guarantees what the engine guarantees: one order of committed decisions for all members, one leader
 * per term of office, and terms that only grow. It also does what the engine may do: proposals of a deposed leader are
 * lost or are committed under the next leader, and a proposal may be committed twice.
 */
final class SimulatedCoordinators {
    private static final long ELECTION_NS = 800 * SimulatedNetwork.MS;
    private static final long NO_TERM = -1;

    private record Entry(long term, int number, Event event) {}

    /** One coordinator's process. Its record survives the process, as the engine's log does. */
    final class Member {
        final int id;
        final Endpoint address;
        private final SnapshotOrders snapshots;
        private final EventLog events = new EventLog();
        private final List<Entry> proposed = new ArrayList<>();
        SimulatedNetwork.Host host;
        long pausedUntilNs;
        long aheadNs;
        private Coordinator coordinator;
        private long term = NO_TERM;
        private int applied;
        private long lastTerm = NO_TERM;
        private int lastNumber = -1;
        private int number;
        private boolean alive;

        Member(int id, Endpoint address) {
            this.id = id;
            this.address = address;
            this.snapshots = world.snapshotOrders();
            start();
        }

        boolean isAlive() {
            return alive;
        }

        boolean leads() {
            return null != coordinator;
        }

        void start() {
            alive = true;
            term = NO_TERM;
            host = world.network()
                    .host(error -> world.trace(() -> "coordinator " + id + " reports: " + error.getMessage()));
            SimulatedNetwork.Host life = host;
            host.onArrival(() -> run(life));
            tick(life);
        }

        void kill() {
            alive = false;
            host.kill();
            coordinator = null;
            vacant |= leader == this; // it does not lead again without an election, however soon it restarts
        }

        private void tick(SimulatedNetwork.Host life) {
            if (alive && host == life) {
                run(life);
                world.network().at(Math.max(pausedUntilNs, world.network().nowNs() + world.tickNs()), () -> tick(life));
            }
        }

        private void run(SimulatedNetwork.Host life) {
            long nowNs = world.network().nowNs();
            if (!alive
                    || host != life
                    || nowNs < pausedUntilNs
                    || events.state().isClosed()) {
                return;
            }
            world.counted();
            if (leads() && (leader != this || term != currentTerm)) {
                world.trace(() -> "coordinator " + id + " is no longer the leader");
                coordinator.close();
                coordinator = null;
            }
            if (reachesMajority(this)) {
                while (applied < log.size()) {
                    takeIn(log.get(applied++));
                }
            }
            if (!leads()
                    && leader == this
                    && !vacant
                    && applied == log.size()
                    && !events.state().isClosed()) {
                lead();
            }
            if (leads()) {
                coordinator.doWork();
            }
            if (events.state().isClosed() && leads()) {
                coordinator.close();
                coordinator = null;
            }
        }

        private void lead() {
            term = currentTerm;
            number = 0;
            NanoClock clock = () -> world.network().nowNs() + aheadNs;
            coordinator = new Coordinator(
                    host,
                    address,
                    world.scenario().settings(),
                    1 + id,
                    snapshots,
                    world.waitNs(),
                    clock,
                    secret,
                    new Leadership(events, this::propose, term, id));
            world.trace(() -> "coordinator " + id + " leads in term " + term);
        }

        private void propose(Event event) {
            Entry entry = new Entry(term, number++, event);
            proposed.add(entry);
            world.network().at(world.network().nowNs() + 2 * world.delayNs(), () -> commit(this, entry));
        }

        private void takeIn(Entry entry) {
            boolean old = entry.term < lastTerm || entry.term == lastTerm && entry.number <= lastNumber;
            if (!old) {
                lastTerm = entry.term;
                lastNumber = entry.number;
                if (leads()) {
                    coordinator.decided(entry.event);
                } else {
                    events.apply(entry.event);
                }
            }
            world.compare("coordinator " + id, events.state());
            String state = events.state().toString();
            if (states.size() < applied) {
                states.add(state);
                world.trace(() -> "decided: " + nameless(entry.event));
            } else if (!states.get(applied - 1).equals(state)) {
                world.judge("coordinator " + id + " has after " + applied + " decisions " + state + ", and another has "
                        + states.get(applied - 1));
            }
        }
    }

    private final ControlSimulation world;
    private final ClusterSecret secret;
    private final Random random;
    private final List<Member> members = new ArrayList<>();
    private final List<Entry> log = new ArrayList<>();

    /** The state that all members must have after each number of decisions. */
    private final List<String> states = new ArrayList<>();

    private Member leader;
    private long currentTerm = NO_TERM;
    private long leaderLostNs;

    /** Whether the leader's process has ended since it was elected. */
    private boolean vacant;

    SimulatedCoordinators(ControlSimulation world, Random random, ClusterSecret secret, int count) {
        this.world = world;
        this.random = random;
        this.secret = secret;
        for (int id = 0; id < count; id++) {
            members.add(new Member(id, world.freeEndpoint()));
        }
        elect();
        watch();
    }

    /** Removes the numbers that do not depend on the seed. */
    private static String nameless(Event event) {
        return event.toString().replaceAll("(nonce|run)=-?\\d+", "$1=*");
    }

    List<Member> members() {
        return members;
    }

    /** The state of the member that has applied the most decisions. */
    ClusterState state() {
        Member most = members.getFirst();
        for (Member member : members) {
            most = member.applied > most.applied ? member : most;
        }
        return most.events.state();
    }

    boolean isClosed() {
        return state().isClosed();
    }

    private void watch() {
        long nowNs = world.network().nowNs();
        boolean lost = null == leader || vacant || !isSound(leader);
        leaderLostNs = lost ? leaderLostNs == 0 ? nowNs : leaderLostNs : 0;
        if (lost && nowNs - leaderLostNs > ELECTION_NS) {
            elect();
        }
        if (!isClosed()) {
            world.network().at(nowNs + ELECTION_NS / 8, this::watch);
        }
    }

    private boolean isSound(Member member) {
        return member.alive && member.pausedUntilNs <= world.network().nowNs() && reachesMajority(member);
    }

    private boolean reachesMajority(Member member) {
        int reached = 0;
        for (Member other : members) {
            boolean both = other == member
                    || other.alive
                            && !world.network().isCut(member.host, other.host)
                            && !world.network().isCut(other.host, member.host);
            reached += both ? 1 : 0;
        }
        return reached > members.size() / 2;
    }

    private void elect() {
        List<Member> able = members.stream().filter(this::isSound).toList();
        if (able.isEmpty()) {
            return;
        }
        if (null != leader) {
            int kept = leader.proposed.isEmpty() ? 0 : random.nextInt(leader.proposed.size() + 1);
            log.addAll(leader.proposed.subList(0, kept)); // replicated before its leader was deposed
            leader.proposed.clear();
        }
        leader = able.get(random.nextInt(able.size()));
        leader.proposed.clear();
        leaderLostNs = 0;
        vacant = false;
        currentTerm++;
    }

    private void commit(Member by, Entry entry) {
        if (by != leader || entry.term != currentTerm || !by.proposed.contains(entry)) {
            return;
        }
        if (!isSound(by)) {
            world.network().at(world.network().nowNs() + ELECTION_NS / 8, () -> commit(by, entry));
            return;
        }
        int upTo = by.proposed.indexOf(entry);
        List<Entry> committed = by.proposed.subList(0, upTo + 1);
        log.addAll(committed);
        if (random.nextInt(8) == 0) {
            log.addAll(List.copyOf(committed)); // offered again after the engine's session broke
        }
        committed.clear();
    }
}
