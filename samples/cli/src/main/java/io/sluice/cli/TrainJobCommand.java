package io.sluice.cli;

import io.sluice.cli.launch.ChildFailedException;
import io.sluice.cli.launch.CoordinatorFolders;
import io.sluice.cli.launch.HostCluster;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.membership.NodeIds;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.SharedSnapshot;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.console.ExitCode;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Trains a workload with a whole cluster on this host. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
final class TrainJobCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private WorkloadOptions options;

    @Mixin
    private ReportFile json;

    @Mixin
    private ReferenceRun reference;

    @Option(
            names = "--aeron-dir",
            paramLabel = "DIR",
            description = "Directory of the job's media driver; by default one of its own in /dev/shm.")
    private Path aeronDirectory;

    @Mixin
    private LossOption loss;

    @Mixin
    private UdpBatchOption udpBatch;

    @Option(
            names = "--snapshots",
            paramLabel = "DIR",
            description = "Take snapshots, and keep those of each node in a folder of its own in DIR.")
    private Path snapshots;

    @Option(names = SnapshotKeep.OPTION, paramLabel = "N", description = SnapshotKeep.DESCRIPTION)
    private Integer snapshotKeep;

    @Mixin
    private SnapshotOptions snapshotOptions;

    @Option(
            names = "--coordinators",
            paramLabel = "N",
            defaultValue = "0",
            description = "Coordinate in N processes (3, 5, 7 or 9) instead of in server 0; the job continues while a"
                    + " majority of them runs.")
    private int coordinators;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "The job's secret, for --seal: see sluice secret.")
    private Path secretFile;

    @Option(
            names = "--processes",
            description = "Run each node in a process of its own, and not on threads of this one. Implied by"
                    + " --on-death shrink and wait, --coordinators, --max-workers and --snapshots, and by train cnn.")
    private boolean processes;

    @ArgGroup(validate = false, heading = "%nTerms of the cluster:%n")
    private ClusterOptions terms = new ClusterOptions();

    /** Creates the command of a workload. */
    TrainJobCommand(WorkloadOptions options) {
        this.options = options;
    }

    /** The first sentences of the help. */
    static String description(WorkloadOptions options) {
        return "Trains " + options.task() + " with a cluster on this host.";
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        terms.defaultFilter(options.defaultFilter());
        ClusterSettings cluster = terms.settings();
        options.check();
        checkSecret(cluster);
        double lossRate = loss.rate(cluster.transport());
        snapshotOptions.check(snapshots);
        SnapshotKeep.check(snapshotKeep, snapshots);
        terms.checkWait();
        checkSnapshots(cluster);
        checkCoordinators();
        json.check();
        reference.check();
        Workload workload = options.load();
        workload.check(cluster);
        if (cluster.isPeer() && !workload.exchangesVectors()) {
            throw new IllegalArgumentException(
                    "--protocol is peer, expected update: workers send each other vectors alone, as train mlr does with"
                            + " --factors");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (reference.isWanted()) {
            reportIgnored();
            json.write(reference.run(options.name(), workload, cluster, out));
            return ExitCode.OK;
        }
        if (null != snapshots) {
            SnapshotFolder.requireWritable(snapshots); // checked before many processes fail because of it
        }
        Evaluations evaluations = new Evaluations();
        JobReport report;
        try (Attachment _ = Attachment.of(false)) {
            Relaunches relaunches = new Relaunches(cluster, snapshots == null ? null : resumeCommand(), System.err);
            report = train(cluster, workload, lossRate, evaluations, relaunches);
            while (report == null) {
                relaunches.pause();
                report = train(cluster, workload, lossRate, evaluations, relaunches);
            }
        }
        new JobReportPage(report, out).print();
        json.write(report.json());
        boolean valid = report.outcome().replicasIdentical() || !workload.keepsReplicasEqual(cluster);
        return valid ? ExitCode.OK : ExitCode.FAILED;
    }

    /** The report, or null if the job has to be restarted. */
    private JobReport train(
            ClusterSettings cluster, Workload workload, double lossRate, Evaluations evaluations, Relaunches relaunches)
            throws IOException, InterruptedException {
        Driver.Context driver =
                new Driver.Context().receiveLoss(lossRate, workload.settings().seed());
        udpBatch.applyTo(driver);
        try (TrainProgress progress = new TrainProgress(workload.clocks());
                CoordinatorFolders folders = new CoordinatorFolders();
                HostCluster nodes = HostCluster.launch(
                        aeronDirectory,
                        coordinators,
                        cluster,
                        driver,
                        System.err,
                        evaluations.andThen(progress),
                        needsProcesses(cluster, workload) ? null : new ThreadNodes(options))) {
            progress.show();
            startNodes(nodes, folders, cluster, relaunches.haveBegun());
            if (cluster.isElastic()) {
                System.err.printf(
                        "%nsluice: more workers can join: ./sluice worker %s %s %s%s%n",
                        options.name(),
                        nodes.whereabouts(),
                        String.join(" ", options.arguments()),
                        null == snapshots
                                ? ""
                                : " --snapshots " + snapshots.toAbsolutePath() + " --index N, with N a place below "
                                        + cluster.workerPlaces() + " that no worker has");
            }
            try {
                nodes.await();
            } catch (ChildFailedException e) {
                relaunches.require(e, nodes);
                return null;
            }
            return JobReport.of(
                    options.name(),
                    workload,
                    cluster,
                    progress,
                    evaluations,
                    relaunches.total(nodes),
                    snapshotOptions.restores());
        } catch (MessagingException e) { // of the media driver or of snapshots, both of this process
            if (!relaunches.haveBegun() || Failures.isLasting(e)) {
                throw e;
            }
            ChildFailedException failed =
                    new ChildFailedException(e.getMessage(), ExitCode.UNAVAILABLE, ChildFailedException.Kind.TRANSIENT);
            relaunches.require(failed, false, 0);
            return null;
        }
    }

    /** Whether nodes must be able to die, join or leave one by one. */
    private boolean needsProcesses(ClusterSettings cluster, Workload workload) {
        return processes
                || workload.needsProcesses()
                || cluster.onDeath() != DeathPolicy.FAIL
                || cluster.isElastic()
                || coordinators > 0
                || snapshots != null;
    }

    private void checkSnapshots(ClusterSettings cluster) {
        boolean waits = cluster.onDeath() == DeathPolicy.WAIT;
        if (waits || null != snapshots) {
            cluster.requireFitForSnapshots();
        }
        if (waits && null == snapshots) {
            throw new IllegalArgumentException(
                    "--on-death wait needs --snapshots DIR, from which a restarted node resumes");
        }
    }

    private void checkCoordinators() {
        if (coordinators != 0 && (coordinators < 3 || coordinators > 9 || coordinators % 2 == 0)) {
            throw new IllegalArgumentException("--coordinators is " + coordinators + ", expected 3, 5, 7 or 9");
        }
    }

    /** Checks the secret before any process starts; each node reads the file itself. */
    private void checkSecret(ClusterSettings cluster) {
        if (secretFile != null) {
            ClusterSecret.read(secretFile);
        } else if (cluster.seal()) {
            throw new IllegalArgumentException(
                    "--seal needs a secret to derive keys from: make one with 'sluice secret FILE'"
                            + " and give it with --secret-file FILE");
        }
    }

    private void startNodes(HostCluster nodes, CoordinatorFolders folders, ClusterSettings cluster, boolean resumes)
            throws IOException {
        SharedSnapshot beginning = snapshotOptions.beginning(cluster, snapshots, resumes);
        List<String> orders = snapshotOptions.arguments(beginning, resumes);
        for (int member = 0; member < coordinators; member++) {
            List<String> command = new ArrayList<>(List.of("coordinator", "--member", String.valueOf(member)));
            command.addAll(List.of("--dir", folders.of(member).toString()));
            command.addAll(terms.arguments());
            command.addAll(null == snapshots ? List.of() : snapshotOptions.withInterval(orders));
            addSecret(command);
            nodes.startCoordinator(member, command);
        }
        for (int node : beginning.nodes()) {
            Role role = NodeIds.of(cluster).role(node);
            int index = NodeIds.of(cluster).index(node);
            List<String> command = new ArrayList<>();
            if (Role.SERVER == role) {
                command.addAll(List.of("server", "--index", String.valueOf(index)));
                if (index == 0 && coordinators == 0) {
                    command.add("--coordinate");
                    command.addAll(terms.arguments());
                    command.addAll(orders);
                }
            } else {
                command.addAll(List.of("worker", options.name(), "--index", String.valueOf(index)));
                command.addAll(options.arguments());
            }
            command.addAll(snapshotFolder());
            addSecret(command);
            nodes.start(role, index, command);
        }
    }

    /** This command in shell syntax, resuming from the newest snapshot. */
    private String resumeCommand() {
        List<String> given = spec.root().commandLine().getParseResult().originalArgs();
        return "./sluice "
                + SnapshotOptions.restoringNewest(given).stream()
                        .map(TrainJobCommand::quoted)
                        .collect(Collectors.joining(" "));
    }

    private static String quoted(String argument) {
        return argument.matches("[\\w./:,=+@%-]+") ? argument : "'" + argument.replace("'", "'\\''") + "'";
    }

    private List<String> snapshotFolder() {
        List<String> arguments = new ArrayList<>();
        if (null != snapshots) {
            ClusterOptions.add(arguments, "--snapshots", snapshots.toAbsolutePath());
        }
        if (null != snapshotKeep) {
            ClusterOptions.add(arguments, SnapshotKeep.OPTION, snapshotKeep);
        }
        return arguments;
    }

    /** Passes the name of the file, never its contents: every user may read a command line. */
    private void addSecret(List<String> command) {
        if (secretFile != null) {
            command.addAll(List.of("--secret-file", secretFile.toAbsolutePath().toString()));
        }
    }

    /**
     * Warns of options that have no effect with --reference, instead of refusing them, so that the command line of a
     * job can be run again with --reference added.
     */
    private void reportIgnored() {
        Set<String> heeded = Set.of("--workers", "--reference", "--history", "--record", "--json", "--slice");
        String ignored = spec.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> ((Field) option.userObject()).getDeclaringClass() != options.getClass())
                .map(OptionSpec::longestName)
                .filter(name -> !heeded.contains(name))
                .collect(Collectors.joining(", "));
        if (!ignored.isEmpty()) {
            System.err.println("sluice: no effect with --reference, which sums the updates of all workers at each"
                    + " clock, and filters nothing: " + ignored);
        }
    }
}
