package io.sluice.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.cli.launch.ChildFailedException;
import io.sluice.cli.launch.CoordinatorFolders;
import io.sluice.cli.launch.HostCluster;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.membership.NodeIds;
import io.sluice.consistency.membership.SharedSnapshot;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Role;
import io.sluice.console.ExitCode;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.lr.Evaluation;
import io.sluice.samples.lr.LrReference;
import io.sluice.samples.lr.LrSettings;
import io.sluice.samples.lr.Traffic;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.nio.file.Files;
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

/** Trains logistic regression with a whole cluster on this host. */
@Command(
        name = "lr",
        description = "Trains sparse logistic regression on real e-mails with a cluster on this host.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class TrainLrCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private LrOptions lr;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result as one JSON object.")
    private Path json;

    @Option(names = "--reference", description = "Compute the same result in one process, without Sluice.")
    private boolean reference;

    @Option(
            names = "--history",
            paramLabel = "S",
            converter = WorkerSetsOption.class,
            description =
                    "With --reference: the arithmetic of a job whose workers joined and left, with the worker sets"
                            + " that server 0 reports: 1:0,1;57:0,1,2 means workers 0 and 1 from clock 1 on, and also"
                            + " worker 2 from clock 57 on.")
    private WorkerSetsOption.WorkerSets workerSets;

    @Option(
            names = "--record",
            paramLabel = "FILE",
            hidden = true,
            description = "With --reference: write the updates of worker 0 at the last clocks, see UpdateRecording.")
    private Path record;

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
                    + " --on-death shrink and wait, --coordinators, --max-workers and --snapshots.")
    private boolean processes;

    @ArgGroup(validate = false, heading = "%nTerms of the cluster:%n")
    private ClusterOptions terms = new ClusterOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        ClusterSettings cluster = terms.settings();
        LrSettings settings = lr.settings();
        checkSecret(cluster);
        double lossRate = loss.rate(cluster.transport());
        snapshotOptions.check(snapshots);
        SnapshotKeep.retention(snapshotKeep, snapshots);
        terms.checkWait();
        checkSnapshots(cluster);
        checkCoordinators();
        requireWritable("--json", json);
        requireWritable("--record", record);
        if (record != null && !reference) {
            throw new IllegalArgumentException("--record " + record + " needs --reference");
        }
        if (workerSets != null && !reference) {
            throw new IllegalArgumentException("--history needs --reference");
        }
        if (workerSets != null && record != null) {
            throw new IllegalArgumentException(
                    "--record " + record + " excludes --history: it records a fixed set of workers");
        }
        Dataset data = lr.load();
        PrintWriter out = spec.commandLine().getOut();
        Traffic traffic = new Traffic(data, settings, cluster.workers(), cluster.sliceElements());
        if (reference) {
            reportIgnored();
            return runReference(cluster, settings, data, out);
        }
        if (null != snapshots) {
            SnapshotFolder.requireWritable(snapshots); // checked before many processes fail because of it
        }
        LrReport report;
        try (Attachment _ = Attachment.of(false)) {
            Relaunches relaunches = new Relaunches(cluster, snapshots == null ? null : resumeCommand(), System.err);
            report = train(cluster, settings, lossRate, data, traffic, relaunches);
            while (report == null) {
                relaunches.pause();
                report = train(cluster, settings, lossRate, data, traffic, relaunches);
            }
        }
        new LrReportPage(report, out).print();
        writeJson(report);
        return report.outcome().replicasIdentical() ? ExitCode.OK : ExitCode.FAILED;
    }

    /** The report, or null if the job has to be restarted. */
    private LrReport train(
            ClusterSettings cluster,
            LrSettings settings,
            double lossRate,
            Dataset data,
            Traffic traffic,
            Relaunches relaunches)
            throws IOException, InterruptedException {
        Driver.Context driver = new Driver.Context().receiveLoss(lossRate, settings.seed());
        udpBatch.applyTo(driver);
        try (TrainProgress progress = new TrainProgress(settings.clocks());
                CoordinatorFolders folders = new CoordinatorFolders();
                HostCluster nodes = HostCluster.launch(
                        aeronDirectory,
                        coordinators,
                        cluster,
                        driver,
                        System.err,
                        progress,
                        needsProcesses(cluster) ? null : new ThreadNodes(data))) {
            progress.show();
            startNodes(nodes, folders, cluster, relaunches.haveBegun());
            if (cluster.isElastic()) {
                System.err.printf(
                        "%nsluice: more workers can join: ./sluice worker lr %s %s%s%n",
                        nodes.whereabouts(),
                        String.join(" ", lr.arguments()),
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
            return new LrReport(
                    LrReport.Job.of(data, settings, cluster),
                    LrReport.Outcome.of(progress, relaunches.total(nodes)),
                    LrReport.Volume.of(progress.workers(), progress.servers(), traffic),
                    CompressionRow.of(progress.workers(), progress.servers()));
        } catch (MessagingException e) { // warnings of the media driver, which runs in this process
            if (!relaunches.haveBegun()) {
                throw e;
            }
            ChildFailedException failed =
                    new ChildFailedException(e.getMessage(), ExitCode.UNAVAILABLE, ChildFailedException.Kind.TRANSIENT);
            relaunches.require(failed, false, 0);
            return null;
        }
    }

    /** Whether nodes must be able to die, join or leave one by one. */
    private boolean needsProcesses(ClusterSettings cluster) {
        return processes
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
                command.addAll(List.of("worker", "lr", "--index", String.valueOf(index)));
                command.addAll(lr.arguments());
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
                        .map(TrainLrCommand::quoted)
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

    /** Reports the options that one process ignores, so that the command of a job can be repeated with --reference. */
    private void reportIgnored() {
        Set<String> heeded = Set.of("--workers", "--reference", "--history", "--record", "--json", "--slice");
        String ignored = spec.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> ((Field) option.userObject()).getDeclaringClass() != LrOptions.class)
                .map(OptionSpec::longestName)
                .filter(name -> !heeded.contains(name))
                .collect(Collectors.joining(", "));
        if (!ignored.isEmpty()) {
            System.err.println("sluice: no effect with --reference, which sums the updates of all workers at each"
                    + " clock, and filters nothing: " + ignored);
        }
    }

    private int runReference(ClusterSettings cluster, LrSettings settings, Dataset data, PrintWriter out)
            throws IOException {
        long startNs = System.nanoTime();
        int workers = workerSets == null
                ? cluster.workers()
                : workerSets.workerSets().getFirst().size();
        float[] w = workerSets == null
                ? trainAlone(cluster, settings, data)
                : LrReference.train(data, settings, workerSets.workerSets());
        double seconds = (System.nanoTime() - startNs) / 1e9;
        Evaluation evaluation = Evaluation.of(data, w);
        ReferenceReport report = new ReferenceReport(
                "lr",
                data.name(),
                workers,
                settings.clocks(),
                evaluation.loss(),
                evaluation.accuracy(),
                seconds,
                Evaluation.hash(w));
        out.printf(
                "single process, arithmetic of %d workers: loss %.4f, held-out accuracy %.2f %%, %.1f s%n  replica:"
                        + " sha-256 %s%n",
                workers, evaluation.loss(), 100 * evaluation.accuracy(), seconds, report.replicaHash());
        writeJson(report);
        return ExitCode.OK;
    }

    private float[] trainAlone(ClusterSettings cluster, LrSettings settings, Dataset data) throws IOException {
        float[] w;
        UpdateRecording recording = new UpdateRecording(record == null ? 0 : settings.clocks());
        try (TrainProgress progress = new TrainProgress(settings.clocks())) {
            progress.show();
            w = LrReference.train(data, settings, cluster.workers(), progress::onClock, recording);
        }
        if (record != null) {
            recording.write(record);
        }
        return w;
    }

    /** Checks a path before the job, which takes minutes. */
    private static void requireWritable(String option, Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !Files.isWritable(folder)) {
            throw new IllegalArgumentException(option + " " + file + ": the folder " + folder + " "
                    + (Files.isDirectory(folder) ? "cannot be written to" : "does not exist"));
        }
        if (Files.isDirectory(file)) {
            throw new IllegalArgumentException(option + " " + file + " is a folder, expected a file");
        }
        if (!mayWrite(file)) {
            throw new IllegalArgumentException(option + " " + file + " cannot be written to");
        }
    }

    /** Does not open an existing file: it may be a pipe, whose reader would see its end. */
    private static boolean mayWrite(Path file) {
        if (Files.exists(file)) {
            return Files.isWritable(file);
        }
        try {
            Files.delete(Files.createFile(file));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void writeJson(Object report) throws IOException {
        if (json != null) {
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(json.toFile(), report);
        }
    }
}
