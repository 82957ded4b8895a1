package io.sluice.trials.chaos;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.PhiAccrualDetector;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The disturbed job: logistic regression on the e-mails that ship with Sluice.
 *
 * @param servers number of servers, the coordinator included
 * @param workers number of workers
 * @param maxServers places for servers, with {@code --max-workers}; 0 for the number at the start
 * @param maxWorkers places for workers that join and leave; 0 if the worker set is fixed
 * @param coordinators number of coordinators in processes of their own; 0 if server 0 is the coordinator
 * @param clocks iterations
 * @param snapshotEvery clocks between two snapshots
 * @param livenessMs liveness time in milliseconds
 * @param onDeath failure policy, as {@code --on-death}
 * @param seal whether frames are sealed
 * @param transport {@code ipc} or {@code udp}
 * @param tree planner of the broadcast trees
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

    /** Time in which another coordinator becomes leader; the liveness time of dead nodes then starts anew. */
    private static final int TAKEOVER_MS = 10_000;

    private static final int MOST_COORDINATORS = 9;
    private static final int FEATURES = 1 << 14;
    private static final int BATCH = 16;

    /** Number of floats of a slice: small enough for several slices on each server. */
    private static final int SLICE = 1 << 10;

    /** Number of slices of the model. */
    static final int SLICES = FEATURES / SLICE;

    /** A tree without relays. */
    private static final String FLAT = "flat";

    /** The planner that chooses the flat tree if workers join and leave. */
    private static final String AUTO = "auto";

    private static final int WAIT_S = 60;

    /** The failure policy with which dead nodes are started again one by one. */
    private static final String WAIT = "wait";

    /** Checks the terms that the trial itself uses; nodes check the others. */
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
            throw new IllegalArgumentException("--max-servers is " + maxServers + ", expected " + servers
                    + " (--servers) to " + MAX_NODES + ", and --max-workers set");
        }
        if (maxServers != 0 && !FLAT.equals(tree) && !AUTO.equals(tree)) {
            throw new IllegalArgumentException("--max-servers is " + maxServers + " and --tree " + tree
                    + ", expected flat or auto: with other trees servers cannot join or leave");
        }
    }

    /** Whether workers join and leave. */
    boolean isElastic() {
        return maxWorkers > 0;
    }

    /** Number of places for servers. */
    int serverPlaces() {
        return Math.max(servers, maxServers);
    }

    /** Number of places for workers. */
    int workerPlaces() {
        return Math.max(workers, maxWorkers);
    }

    /** Whether servers may join and leave: only without relays. */
    boolean movesServers() {
        return isElastic() && serverPlaces() > 1 && (FLAT.equals(tree) || AUTO.equals(tree));
    }

    /** Whether a dead node may rejoin while the others wait. */
    boolean waits() {
        return WAIT.equals(onDeath);
    }

    /** Whether dead nodes rejoin one by one; with {@code --max-workers} all nodes are started again. */
    boolean awaitsTheDead() {
        return waits() && !isElastic();
    }

    /** Whether the job continues from snapshots when it is started again. */
    boolean takesSnapshots() {
        return !isElastic() || waits();
    }

    /** The settings that determine the worker set of a job that continues from a snapshot. */
    ClusterSettings settings() {
        return ClusterSettings.builder()
                .servers(servers)
                .workers(workers)
                .places(maxWorkers)
                .serverPlaces(serverPlaces())
                .build();
    }

    /** Whether some workers are relays; if all nodes share memory, none has to be. */
    boolean relays(int hosts) {
        return !FLAT.equals(tree) && (hosts > 1 || !"ipc".equals(transport));
    }

    /**
     * Time in milliseconds within which surviving nodes must continue the training or report a failure, at the present
     * load of this host.
     */
    long limitMs(HostLoad load) {
        return (long) (limitMs() + (load.factor() - 1) * PhiAccrualDetector.CEILING * livenessMs);
    }

    /** The limit on a host that is not overcommitted. */
    long limitMs() {
        return REPORT_MS + (long) PhiAccrualDetector.CEILING * livenessMs + (coordinators > 0 ? TAKEOVER_MS : 0);
    }

    /**
     * The command of a coordinator in a process of its own.
     *
     * @param restore the clock to restore; empty for the newest
     */
    List<String> coordinator(int member, List<String> members, Path driver, Path folder, Path secret, String restore) {
        List<String> command = new ArrayList<>(List.of("coordinator", "--attached", "--member", "" + member));
        command.addAll(List.of("--members", String.join(",", members), "--dir", folder.toString()));
        command.addAll(List.of("--aeron-dir", driver.toString(), "--secret-file", secret.toString()));
        command.addAll(cluster(restore));
        return command;
    }

    /** Options of the coordinator. */
    private List<String> cluster(String restore) {
        List<String> terms = new ArrayList<>(List.of("--servers", "" + servers, "--workers", "" + workers));
        terms.addAll(List.of("--transport", transport, "--tree", tree, "--slice", "" + SLICE));
        terms.addAll(List.of("--liveness-ms", "" + livenessMs));
        terms.addAll(List.of("--on-death", onDeath));
        if (isElastic()) { // a residual would be sent at a clock that depends on the worker set
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

    /**
     * The command of a server.
     *
     * @param restore the clock to restore; empty for the newest
     */
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

    /** The command that computes the same replicas in one process, with the worker sets of a job. */
    List<String> inOneProcess(String workerSets, Path report) {
        List<String> command = new ArrayList<>(List.of("train", "lr", "--reference", "--history", workerSets));
        command.addAll(training());
        command.addAll(List.of("--json", report.toString()));
        return command;
    }

    /** Options of all nodes. */
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
