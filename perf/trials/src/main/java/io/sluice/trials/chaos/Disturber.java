package io.sluice.trials.chaos;

import io.sluice.consistency.membership.Role;
import io.sluice.trials.chaos.Disturbance.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Carries out the disturbances of a {@link Schedule}, in one thread that waits for each to end. */
final class Disturber {
    private static final int BURST = 20_000;
    private static final long RATE = 50_000;
    private static final long POLL_MS = 10;
    private static final long RELAYS_NS = 5_000_000_000L;

    /** Maximum time to wait for a leader. */
    private static final long LEADER_NS = 20_000_000_000L;

    /** Share of kills that hit a coordinator other than the leader. */
    private static final double FOLLOWERS = 0.25;

    private final Cluster cluster;
    private final SnapshotDisk disk;
    private final Tally tally;
    private final Consumer<String> log;
    private final ElasticEvents elasticEvents;

    Disturber(Cluster cluster, SnapshotDisk disk, Tally tally, Consumer<String> log) {
        this.cluster = cluster;
        this.disk = disk;
        this.tally = tally;
        this.log = log;
        this.elasticEvents = new ElasticEvents(cluster, tally, log);
    }

    /** Carries out a disturbance to its end: afterwards no process is stopped. */
    void carryOut(Disturbance disturbance) throws IOException, InterruptedException {
        List<ClusterProcess> servers = cluster.servers();
        List<ClusterProcess> workers = cluster.workers();
        switch (disturbance.kind()) {
            case KILL_WORKER -> kill(disturbance, workers);
            case KILL_RELAY -> killRelay(disturbance, workers);
            case KILL_SERVER ->
                kill(disturbance, servers.size() > 1 ? servers.subList(spared(), servers.size()) : servers);
            case KILL_SEVERAL -> killSeveral(disturbance);
            case KILL_COORDINATOR -> killCoordinator(disturbance, servers.getFirst());
            case KILL_DRIVER -> kill(disturbance, cluster.drivers());
            case PAUSE -> pause(disturbance);
            case CORRUPT -> corrupt(disturbance);
            case DISK -> fillDisk(disturbance);
            case CUT -> cut(disturbance);
            case HOSTILE_TRAFFIC -> sendHostileTraffic(disturbance);
            case WORKER_JOINS -> elasticEvents.join(Role.WORKER, disturbance);
            case WORKER_LEAVES -> elasticEvents.leave(Role.WORKER, disturbance);
            case SERVER_JOINS -> elasticEvents.join(Role.SERVER, disturbance);
            case SERVER_LEAVES -> elasticEvents.leave(Role.SERVER, disturbance);
            case KILL_NEWCOMER -> elasticEvents.killNewcomer(disturbance);
            default -> throw new IllegalStateException("kind " + disturbance.kind());
        }
    }

    private void kill(Disturbance disturbance, List<ClusterProcess> among) {
        kill(disturbance, among.get(disturbance.choose(among.size())));
    }

    private void kill(Disturbance disturbance, ClusterProcess victim) {
        say(disturbance.kind(), victim.name());
        victim.kill();
        tally.onKill();
        if (cluster.coordinators().processes().contains(victim)) {
            tally.onCoordinatorKilled();
            cluster.coordinators().leaders().gone(victim.name());
        }
    }

    /** Number of first nodes that are never killed: 1 if server 0 is the coordinator, otherwise 0. */
    private int spared() {
        return cluster.coordinators().areSeveral() ? 0 : 1;
    }

    private void killSeveral(Disturbance disturbance) {
        List<ClusterProcess> others = new ArrayList<>(
                cluster.nodes().subList(spared(), cluster.nodes().size()));
        others.addAll(cluster.coordinators().processes());
        Collections.shuffle(others, new Random(disturbance.seed()));
        int number = Math.min(others.size(), 2 + disturbance.choose(Math.max(1, others.size() - 1)));
        others.subList(0, number).forEach(victim -> kill(disturbance, victim));
    }

    /**
     * Kills a coordinator. One of several coordinators stays dead for a time, in which the others continue without it.
     */
    private void killCoordinator(Disturbance disturbance, ClusterProcess first) throws InterruptedException {
        Coordinators coordinators = cluster.coordinators();
        if (!coordinators.areSeveral()) {
            kill(disturbance, first);
            return;
        }
        long startNs = System.nanoTime();
        while (coordinators.living(true).isEmpty() && !isOver() && System.nanoTime() - startNs < LEADER_NS) {
            Thread.sleep(POLL_MS);
        }
        boolean leader = disturbance.target() >= FOLLOWERS;
        List<ClusterProcess> victims = coordinators.living(leader);
        if (isOver() || victims.isEmpty()) {
            say(disturbance.kind(), "none: the job is over, or no coordinator leads");
            return;
        }
        say(disturbance.kind(), leader ? "the leader" : "not the leader");
        kill(disturbance, victims);
        last(disturbance, cluster::isBroken);
    }

    /**
     * Kills a relay. Nodes publish relay links as counters a while after they start, so this waits for one to appear.
     */
    private void killRelay(Disturbance disturbance, List<ClusterProcess> workers) throws InterruptedException {
        List<ClusterProcess> relays = Relays.among(cluster.site(), workers);
        long startNs = System.nanoTime();
        while (relays.isEmpty() && !isOver() && System.nanoTime() - startNs < RELAYS_NS) {
            Thread.sleep(POLL_MS);
            relays = Relays.among(cluster.site(), workers);
        }
        if (isOver()) {
            say(disturbance.kind(), "none: the job was over before a relay was known");
        } else if (relays.isEmpty()) {
            say(disturbance.kind(), "no worker is known to relay; a worker is killed instead");
            kill(disturbance, workers);
        } else {
            kill(disturbance, relays);
            tally.onRelayKilled();
        }
    }

    private boolean isOver() {
        return cluster.isBroken() || cluster.isFinished() || cluster.isEnding();
    }

    /**
     * Stops a process for a while. A media driver serves all nodes of its host, all of which declare it dead after a
     * long stop.
     */
    private void pause(Disturbance disturbance) throws InterruptedException {
        List<ClusterProcess> all = new ArrayList<>(cluster.living());
        all.addAll(cluster.drivers());
        all.addAll(cluster.coordinators().processes());
        ClusterProcess victim = all.get(disturbance.choose(all.size()));
        say(disturbance.kind(), victim.name() + " for " + disturbance.durationMs() + " ms");
        victim.stop();
        last(disturbance, cluster::isBroken);
        victim.resume();
    }

    private void corrupt(Disturbance disturbance) throws IOException {
        kill(disturbance, cluster.nodes());
        disk.damage(new Random(disturbance.seed()))
                .ifPresent(file -> say(disturbance.kind(), "damaged the snapshot " + file));
    }

    private void fillDisk(Disturbance disturbance) throws IOException, InterruptedException {
        say(disturbance.kind(), "full for " + disturbance.durationMs() + " ms");
        disk.fill();
        last(disturbance, cluster::isBroken);
        disk.empty();
    }

    private void cut(Disturbance disturbance) throws InterruptedException {
        int host = disturbance.choose(cluster.site().hosts());
        say(disturbance.kind(), "host " + host + " for " + disturbance.durationMs() + " ms");
        cluster.site().cut(host);
        last(disturbance, () -> false);
        cluster.site().restore(host);
    }

    private void sendHostileTraffic(Disturbance disturbance) throws IOException, InterruptedException {
        HostileTraffic hostile = new HostileTraffic(cluster, RATE, disturbance.seed());
        hostile.send(BURST, () -> cluster.isBroken() || cluster.isFinished());
        tally.onHostileTraffic(hostile);
        say(
                disturbance.kind(),
                hostile.datagrams() + " datagrams and " + hostile.frames() + " frames, " + hostile.refused()
                        + " refused");
    }

    private static void last(Disturbance disturbance, BooleanSupplier over) throws InterruptedException {
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < disturbance.durationMs() * 1_000_000 && !over.getAsBoolean()) {
            Thread.sleep(POLL_MS);
        }
    }

    private void say(Kind kind, String what) {
        log.accept(kind.configName() + ": " + what);
    }
}
