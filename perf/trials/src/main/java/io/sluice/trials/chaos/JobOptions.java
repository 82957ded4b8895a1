package io.sluice.trials.chaos;

import io.sluice.perf.UnavailableException;
import java.util.List;
import picocli.CommandLine.Option;

/** The job that is disturbed, and where it runs, as options. */
final class JobOptions {
    @Option(names = "--workers", paramLabel = "N", defaultValue = "3", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--servers", paramLabel = "P", defaultValue = "2", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Option(
            names = "--max-workers",
            paramLabel = "N",
            defaultValue = "0",
            description = "Have workers come and go while the job runs, up to N at a time; --workers are there at the"
                    + " start. Then there are no snapshots, and who dies is not started again.")
    private int maxWorkers;

    @Option(
            names = "--max-servers",
            paramLabel = "P",
            defaultValue = "0",
            description = "With --max-workers and --tree flat or auto: have servers come and go, too, up to P at a time"
                    + " (those of the start).")
    private int maxServers;

    @Option(
            names = "--coordinators",
            paramLabel = "N",
            defaultValue = "0",
            description = "Coordinate in N processes (3, 5, 7 or 9) instead of in server 0; kill-coordinator kills the"
                    + " one that leads, and now and then another (${DEFAULT-VALUE}).")
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
            description = "Silence after which a node is lost, if it is not known for worse (${DEFAULT-VALUE}).")
    private int livenessMs;

    @Option(
            names = "--on-death",
            paramLabel = "P",
            description = "wait (the dead are started again while the others wait; where server 0 coordinates and is"
                    + " dead, and with --max-workers, all nodes are, from their snapshots), or fail (all nodes end, and"
                    + " are started again: from their snapshots, or afresh with --max-workers). By default wait, and"
                    + " fail with --max-workers.")
    private String onDeath;

    @Option(names = "--seal", description = "Seal all frames; strangers then also replay and forge sound ones.")
    private boolean seal;

    @Option(
            names = "--transport",
            paramLabel = "T",
            defaultValue = "udp",
            description = "Within a host: ipc or udp (${DEFAULT-VALUE}).")
    private String transport;

    @Option(
            names = "--tree",
            paramLabel = "T",
            defaultValue = "chain",
            description = "Who passes broadcasts on to whom, as train lr has it (${DEFAULT-VALUE}).")
    private String tree;

    @Option(
            names = "--network",
            paramLabel = "N",
            defaultValue = "auto",
            description = "lab (two hosts of a network lab), loopback, or auto: lab if it can be had"
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
     * Where the job runs.
     *
     * @param skipped hears of a lab that cannot be had
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
