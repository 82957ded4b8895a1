package io.sluice.perf.chaos;

import io.sluice.messaging.ArrivalHistory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The job that is disturbed: logistic regression on the e-mails that ship with Sluice.
 *
 * @param servers number of servers, the coordinator included
 * @param workers number of workers
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

    /** A tree in which no worker passes anything on. */
    private static final String FLAT = "flat";

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
    }

    /** Whether a node that died may come back while the others wait. */
    boolean waits() {
        return WAIT.equals(onDeath);
    }

    /** Whether some workers pass broadcasts on to others: where all share memory, they need not. */
    boolean relays(int hosts) {
        return !FLAT.equals(tree) && (hosts > 1 || !"ipc".equals(transport));
    }

    /** Time in milliseconds within which survivors must go on, or say why not. */
    long limitMs() {
        return REPORT_MS + (long) ArrivalHistory.CEILING * livenessMs + (coordinators > 0 ? TAKEOVER_MS : 0);
    }

    /** The command of a coordinator in a process of its own. */
    List<String> coordinator(int member, List<String> members, Path driver, Path folder, Path secret) {
        List<String> command = new ArrayList<>(List.of("coordinator", "--attached", "--member", "" + member));
        command.addAll(List.of("--members", String.join(",", members), "--dir", folder.toString()));
        command.addAll(List.of("--aeron-dir", driver.toString(), "--secret-file", secret.toString()));
        command.addAll(cluster());
        return command;
    }

    /** For whoever coordinates. */
    private List<String> cluster() {
        List<String> terms = new ArrayList<>(List.of("--servers", "" + servers, "--workers", "" + workers));
        terms.addAll(List.of("--transport", transport, "--tree", tree, "--slice", "" + SLICE));
        terms.addAll(List.of("--liveness-ms", "" + livenessMs));
        terms.addAll(List.of("--on-death", onDeath, "--snapshot-every", "" + snapshotEvery, "--restore"));
        if (seal) {
            terms.add("--seal");
        }
        return terms;
    }

    /** The command of a server. */
    List<String> server(int index, List<String> node) {
        List<String> command = new ArrayList<>(List.of("server", "--index", String.valueOf(index)));
        command.addAll(node);
        if (index == 0 && coordinators == 0) {
            command.add("--coordinate");
            command.addAll(cluster());
        }
        return command;
    }

    /** The command of a worker. */
    List<String> worker(int index, List<String> node) {
        List<String> command = new ArrayList<>(List.of("worker", "lr", "--index", String.valueOf(index)));
        command.addAll(node);
        command.addAll(List.of("--clocks", "" + clocks, "--features", "" + FEATURES, "--batch", "" + BATCH));
        return command;
    }

    /** What all nodes are told. */
    static List<String> node(List<String> cluster, Path driver, Path snapshots, Path secret) {
        return List.of(
                "--attached",
                cluster.size() > 1 ? "--coordinators" : "--cluster",
                String.join(",", cluster),
                "--aeron-dir",
                driver.toString(),
                "--snapshots",
                snapshots.toString(),
                "--secret-file",
                secret.toString(),
                "--wait-s",
                String.valueOf(WAIT_S));
    }
}
