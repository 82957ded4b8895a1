package io.sluice.trials.chaos;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.PhiAccrualDetector;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The job that is disturbed: logistic regression on the e-mails that ship with Sluice.
 *
 * @param servers number of servers, the coordinator included
 * @param workers number of workers
 * @param maxServers how many there may be, as servers come and go, where workers do; 0 for no more than at the start
 * @param maxWorkers how many there may be, as workers come and go; 0 if they stay
 * @param coordinators number of coordinators in processes of their own; 0 if server 0 coordinates
 * @param clocks iterations
 * @param snapshotEvery clocks between two snapshots
 * @param livenessMs silence that a node is allowed, in milliseconds
 * @param onDeath what the cluster does when a node dies, as {@code --on-death} has it
 * @param seal whether frames are sealed
 * @param transport {@code ipc} or {@code udp}
 * @param tree by which broadcasts are passed on
 */
record Terms(
        int servers,
        int workers,
        int maxServers,
        int maxWorkers,
        int coordinators,
        int clocks,
        int snapshotEvery,
        int livenessMs,
        String onDeath,
        boolean seal,
        String transport,
        String tree) {
    private static final int MAX_NODES = 64;
    private static final int REPORT_MS = 3_000;

    /** For another coordinator to lead: whoever is dead by then is missed by that one, from then on. */
    private static final int TAKEOVER_MS = 10_000;

    private static final int MOST_COORDINATORS = 9;
    private static final int FEATURES = 1 << 14;
    private static final int BATCH = 16;

    /** So that each server has several. */
    private static final int SLICE = 1 << 10;

    /** Of the model. */
    static final int SLICES = FEATURES / SLICE;

    /** A tree in which no worker passes anything on. */
    private static final String FLAT = "flat";

    /** That planner which gives just that tree where workers come and go. */
    private static final String AUTO = "auto";

    private static final int WAIT_S = 60;

    /** Under which the dead are started again one by one. */
    private static final String WAIT = "wait";

    /** Refuses what cannot be; what only the nodes know, they refuse. */
    Terms {
        if (servers < 1 || servers > MAX_NODES) {
            throw new IllegalArgumentException("--servers is " + servers + ", expected 1 to " + MAX_NODES);
        }
        if (workers < 1 || workers > MAX_NODES) {
            throw new IllegalArgumentException("--workers is " + workers + ", expected 1 to " + MAX_NODES);
        }
        boolean odd = coordinators > 1 && coordinators <= MOST_COORDINATORS && coordinators % 2 == 1;
        if (coordinators != 0 && !odd) {
            throw new IllegalArgumentException("--coordinators is " + coordinators + ", expected 0, 3, 5, 7 or 9");
        }
        if (clocks < 1) {
            throw new IllegalArgumentException("--clocks is " + clocks + ", expected 1 or more");
        }
        if (snapshotEvery < 1) {
            throw new IllegalArgumentException("--snapshot-every is " + snapshotEvery + ", expected 1 or more");
        }
        if (maxWorkers != 0 && (maxWorkers < workers || maxWorkers > MAX_NODES)) {
            throw new IllegalArgumentException("--max-workers is " + maxWorkers + ", expected the " + workers
                    + " of --workers or more, up to " + MAX_NODES);
        }
        if (maxServers != 0 && (maxServers < servers || maxServers > MAX_NODES || maxWorkers == 0)) {
            throw new IllegalArgumentException("--max-servers is " + maxServers + ", expected the " + servers
                    + " of --servers or more, up to " + MAX_NODES + ", and --max-workers with it");
        }
        if (maxServers != 0 && !FLAT.equals(tree) && !AUTO.equals(tree)) {
            throw new IllegalArgumentException("--max-servers is " + maxServers + " and --tree " + tree
                    + ", expected flat or auto: servers stay where trees follow workers");
        }
    }

    /** Whether workers come and go. */
    boolean isElastic() {
        return maxWorkers > 0;
    }

    /** How many servers there may be. */
    int serverPlaces() {
        return Math.max(servers, maxServers);
    }

    /** How many workers there may be. */
    int workerPlaces() {
        return Math.max(workers, maxWorkers);
    }

    /** Whether servers may come and go: where trees follow workers they stay. */
    boolean movesServers() {
        return isElastic() && serverPlaces() > 1 && (FLAT.equals(tree) || AUTO.equals(tree));
    }

    /** Whether a node that died may come back while the others wait. */
    boolean waits() {
        return WAIT.equals(onDeath);
    }

    /** Whether dead nodes come back one by one: where nodes come and go all are started again. */
    boolean awaitsTheDead() {
        return waits() && !isElastic();
    }

    /** Whether the job goes on from where it was when it is started again. */
    boolean takesSnapshots() {
        return !isElastic() || waits();
    }

    /** The terms that say who takes part in a job that goes on from a snapshot. */
    ClusterSettings settings() {
        return ClusterSettings.builder()
                .servers(servers)
                .workers(workers)
                .places(maxWorkers)
                .serverPlaces(serverPlaces())
                .build();
    }

    /** Whether some workers pass broadcasts on to others: where all share memory, they need not. */
    boolean relays(int hosts) {
        return !FLAT.equals(tree) && (hosts > 1 || !"ipc".equals(transport));
    }

    /** Time in milliseconds within which survivors must go on, or say why not, while this host is as loaded as now. */
    long limitMs(HostLoad load) {
        return (long) (limitMs() + (load.factor() - 1) * PhiAccrualDetector.CEILING * livenessMs);
    }

    /** The same on a host that is not overcommitted. */
    long limitMs() {
        return REPORT_MS + (long) PhiAccrualDetector.CEILING * livenessMs + (coordinators > 0 ? TAKEOVER_MS : 0);
    }

    /** The command of a coordinator in a process of its own, with the clock to restore; empty for the newest. */
    List<String> coordinator(int member, List<String> members, Path driver, Path folder, Path secret, String restore) {
        List<String> command = new ArrayList<>(List.of("coordinator", "--attached", "--member", "" + member));
        command.addAll(List.of("--members", String.join(",", members), "--dir", folder.toString()));
        command.addAll(List.of("--aeron-dir", driver.toString(), "--secret-file", secret.toString()));
        command.addAll(cluster(restore));
        return command;
    }

    /** For whoever coordinates. */
    private List<String> cluster(String restore) {
        List<String> terms = new ArrayList<>(List.of("--servers", "" + servers, "--workers", "" + workers));
        terms.addAll(List.of("--transport", transport, "--tree", tree, "--slice", "" + SLICE));
        terms.addAll(List.of("--liveness-ms", "" + livenessMs));
        terms.addAll(List.of("--on-death", onDeath));
        if (isElastic()) { // what is left out of a frame would be added at a time that depends on who is there
            terms.addAll(List.of("--max-workers", "" + maxWorkers, "--filter", "none"));
            terms.addAll(List.of("--max-servers", "" + serverPlaces()));
        }
        if (takesSnapshots()) {
            terms.addAll(List.of("--snapshot-every", "" + snapshotEvery, "--restore"));
            terms.addAll(restore.isEmpty() ? List.of() : List.of(restore));
        }
        if (seal) {
            terms.add("--seal");
        }
        return terms;
    }

    /** The command of a server, with the clock to restore; empty for the newest. */
    List<String> server(int index, List<String> node, String restore) {
        List<String> command = new ArrayList<>(List.of("server", "--index", String.valueOf(index)));
        command.addAll(node);
        if (index == 0 && coordinators == 0) {
            command.add("--coordinate");
            command.addAll(cluster(restore));
        }
        return command;
    }

    /** The command of a worker. */
    List<String> worker(int index, List<String> node) {
        List<String> command = new ArrayList<>(List.of("worker", "lr", "--index", String.valueOf(index)));
        command.addAll(node);
        command.addAll(training());
        return command;
    }

    private List<String> training() {
        return List.of("--clocks", "" + clocks, "--features", "" + FEATURES, "--batch", "" + BATCH);
    }

    /** The command that does the same arithmetic in one process, for workers that have come and gone. */
    List<String> inOneProcess(String crews, Path report) {
        List<String> command = new ArrayList<>(List.of("train", "lr", "--reference", "--crews", crews));
        command.addAll(training());
        command.addAll(List.of("--json", report.toString()));
        return command;
    }

    /** What all nodes are told. */
    List<String> node(List<String> cluster, Path driver, Path snapshots, Path secret) {
        List<String> node = new ArrayList<>(List.of("--attached"));
        node.addAll(List.of(cluster.size() > 1 ? "--coordinators" : "--cluster", String.join(",", cluster)));
        node.addAll(List.of("--aeron-dir", driver.toString(), "--secret-file", secret.toString()));
        node.addAll(List.of("--wait-s", String.valueOf(WAIT_S)));
        if (takesSnapshots()) {
            node.addAll(List.of("--snapshots", snapshots.toString()));
        }
        return node;
    }
}
