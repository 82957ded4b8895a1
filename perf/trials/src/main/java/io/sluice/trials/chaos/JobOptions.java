package io.sluice.trials.chaos;

import io.sluice.console.UnavailableException;
import java.util.List;
import picocli.CommandLine.Option;

/** Options that describe the disturbed job and where it runs. */
final class JobOptions {
    @Option(names = "--workers", paramLabel = "N", defaultValue = "3", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--servers", paramLabel = "P", defaultValue = "2", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Option(
            names = "--max-workers",
            paramLabel = "N",
            defaultValue = "0",
            description = "Let workers join and leave while the job runs, at most N at once; --workers is the number"
                    + " at the start."
                    + " Takes snapshots only with --on-death wait.")
    private int maxWorkers;

    @Option(
            names = "--max-servers",
            paramLabel = "P",
            defaultValue = "0",
            description = "With --max-workers and --tree flat or auto: let servers join and leave, at most P at once"
                    + " (default: the number of --servers).")
    private int maxServers;

    @Option(
            names = "--coordinators",
            paramLabel = "N",
            defaultValue = "0",
            description = "Run N coordinators (3, 5, 7 or 9) in processes of their own instead of one in server 0;"
                    + " kill-coordinator kills the leader, and sometimes another one (${DEFAULT-VALUE}).")
    private int coordinators;

    @Option(
            names = "--clocks",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Iterations of each job (${DEFAULT-VALUE}).")
    private int clocks;

    @Option(
            names = "--snapshot-every",
            paramLabel = "N",
            defaultValue = "500",
            description = "Clocks between two snapshots (${DEFAULT-VALUE}).")
    private int snapshotEvery;

    @Option(
            names = "--liveness-ms",
            paramLabel = "MS",
            defaultValue = "2500",
            description = "Liveness time: silence after which a node can be lost (${DEFAULT-VALUE}).")
    private int livenessMs;

    @Option(
            names = "--on-death",
            paramLabel = "P",
            description = "wait (dead nodes are started again while the others wait; all nodes are started again from"
                    + " their snapshots if the coordinating server 0 is dead, and with --max-workers), or fail (all"
                    + " nodes end and are started again: from their snapshots, or from the beginning with"
                    + " --max-workers). Default: wait; with --max-workers: fail.")
    private String onDeath;

    @Option(names = "--seal", description = "Seal all frames; hostile frames then include replayed and forged ones.")
    private boolean seal;

    @Option(
            names = "--transport",
            paramLabel = "T",
            defaultValue = "udp",
            description = "Transport within a host: ipc or udp (${DEFAULT-VALUE}).")
    private String transport;

    @Option(
            names = "--tree",
            paramLabel = "T",
            defaultValue = "chain",
            description = "Broadcast trees, as for train lr (${DEFAULT-VALUE}).")
    private String tree;

    @Option(
            names = "--network",
            paramLabel = "N",
            defaultValue = "auto",
            description = "lab (two hosts of a network lab), loopback, or auto: lab if this user can build one"
                    + " (${DEFAULT-VALUE}).")
    private String network;

    Terms terms() {
        if (!List.of("lab", "loopback", "auto").contains(network)) {
            throw new IllegalArgumentException("--network is '" + network + "', expected lab, loopback or auto");
        }
        String policy = onDeath == null ? (maxWorkers == 0 ? "wait" : "fail") : onDeath;
        if (!List.of("fail", "wait").contains(policy)) {
            throw new IllegalArgumentException("--on-death is '" + policy + "', expected wait or fail");
        }
        return new Terms(
                servers,
                workers,
                maxServers,
                maxWorkers,
                coordinators,
                clocks,
                snapshotEvery,
                livenessMs,
                policy,
                seal,
                transport,
                tree);
    }

    /**
     * Builds the site on which the job runs.
     *
     * @param skipped receives the reason if no lab can be built
     */
    Site site(List<String> skipped) {
        if (network.equals("loopback")) {
            return new LoopbackSite(coordinators);
        }
        try {
            return new LabSite(coordinators);
        } catch (UnavailableException e) {
            if (network.equals("lab")) {
                throw e;
            }
            skipped.add("lab: " + e.getMessage());
            return new LoopbackSite(coordinators);
        }
    }
}
