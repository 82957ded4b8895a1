package io.sluice.trials.chaos;

import io.sluice.console.ExitCode;
import io.sluice.perf.PerfCommand;
import io.sluice.perf.nodes.SluiceProgram;
import io.sluice.perf.report.OutputFile;
import io.sluice.trials.chaos.Disturbance.Kind;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Checks that disturbed jobs end with the same replicas as an undisturbed job, bit for bit. */
@Command(
        name = "chaos",
        description = {
            "Trains logistic regression in many processes, disturbs them (kill -9, stop, cut link, full disk, hostile"
                    + " frames), and compares the replicas with those of an undisturbed run.",
            "As root on Linux the processes run on two hosts of a network lab, with snapshots on a small file system;"
                    + " otherwise on loopback, without the events that need root. The exit code is 1 if a bit differs,"
                    + " an update is lost, a process hangs or ends without a message, or an exception escapes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ChaosCommand implements PerfCommand {
    private static final double MAX_MINUTES = 24 * 60;
    private static final double MS_PER_S = 1e3;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_MINUTE = 60e9;
    private static final int HEAP_MB = 256;

    /** Flag for the silence after which clients declare a media driver dead; the longest pauses exceed it. */
    private static final String DRIVER_TIMEOUT = "-Dsluice.driver.timeout=3s";

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            defaultValue = "2",
            description =
                    "Minutes in which jobs run one after the other and are disturbed; the last job ends undisturbed"
                            + " (${DEFAULT-VALUE}).")
    private double minutes;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the events, their order and durations (${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--events",
            paramLabel = "E",
            split = ",",
            description = "Use only these events: kill-worker, kill-relay, kill-server, kill-several, kill-coordinator,"
                    + " kill-driver, pause, corrupt, disk, cut, hostile-traffic; with --max-workers: worker-joins,"
                    + " worker-leaves, server-joins, server-leaves, kill-newcomer, pause, cut, hostile-traffic; or none"
                    + " (default: all).")
    private List<String> events;

    @Option(
            names = "--most",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Stop disturbing after this many events, even before --minutes (${DEFAULT-VALUE}).")
    private int most;

    @Option(
            names = "--datagrams",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Hostile datagrams and frames to send, as well as the events, at --datagram-rate; the trial lasts"
                            + " until all are sent (${DEFAULT-VALUE}).")
    private long datagrams;

    @Option(
            names = "--datagram-rate",
            paramLabel = "R",
            defaultValue = "20000",
            description = "Hostile datagrams and frames per second; keep it below a rate that occupies all processors"
                    + " (${DEFAULT-VALUE}).")
    private long datagramRate;

    @Mixin
    private JobOptions job;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result as one JSON object.")
    private Path json;

    private final long beginNs = System.nanoTime();
    private final List<String> skipped = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
            throw new IllegalArgumentException("--minutes is " + minutes + ", expected more than 0, up to 1440");
        }
        if (datagramRate < 1) {
            throw new IllegalArgumentException("--datagram-rate is " + datagramRate + ", expected 1 or more");
        }
        if (datagrams < 0 || most < 0) {
            throw new IllegalArgumentException(
                    "--datagrams is " + datagrams + " and --most " + most + ", expected 0 or more");
        }
        Terms terms = job.terms();
        List<Kind> wanted = wanted(terms);
        if (json != null) {
            OutputFile.check("--json", json);
        }
        SluiceProgram program = SluiceProgram.find(HEAP_MB, DRIVER_TIMEOUT);
        Path folder = Files.createTempDirectory("sluice-chaos");
        try (Site site = job.site(skipped);
                SnapshotDisk disk = new SnapshotDisk(folder.resolve("snapshots"))) {
            Jobs jobs = new Jobs(program, site, terms, disk, folder, datagramRate, this::log);
            ChaosReport report = run(jobs, terms, possible(wanted, site, disk, terms));
            print(report);
            write(report);
            return report.isGood() ? ExitCode.OK : ExitCode.FAILED;
        } finally {
            Files.deleteIfExists(folder);
        }
    }

    private List<Kind> wanted(Terms terms) {
        if (events == null) {
            return Arrays.stream(Kind.values())
                    .filter(kind -> kind.suits(terms))
                    .toList();
        }
        if (events.equals(List.of("none"))) {
            return List.of();
        }
        return events.stream()
                .map(ChaosCommand::kind)
                .map(kind -> suited(kind, terms))
                .toList();
    }

    private static Kind suited(Kind kind, Terms terms) {
        String event = "--events has '" + kind.configName() + "', ";
        if (!kind.suits(terms)) {
            throw new IllegalArgumentException(event
                    + (terms.isElastic()
                            ? "expected an event that kills no member: a job with --max-workers takes snapshots only"
                                    + " with --on-death wait"
                            : "which needs --max-workers: without it, no node joins or leaves"));
        }
        if (kind.movesServers() && !terms.movesServers()) {
            throw new IllegalArgumentException(
                    event + "expected --tree flat or auto, and places for at least two servers (--max-servers)");
        }
        return kind;
    }

    private static Kind kind(String word) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.configName().equals(word.strip().toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--events has '" + word + "', expected "
                        + Arrays.stream(Kind.values()).map(Kind::configName).collect(Collectors.joining(", "))
                        + " or none"));
    }

    private List<Kind> possible(List<Kind> wanted, Site site, SnapshotDisk disk, Terms terms) {
        List<Kind> kinds = new ArrayList<>(wanted);
        if (!site.hasLinks() && kinds.remove(Kind.CUT)) {
            skipped.add("cut: needs a network lab");
        }
        if (!disk.canBeFilled() && kinds.remove(Kind.DISK)) {
            skipped.add("disk: needs permission to mount a file system in memory (root on Linux)");
        }
        if (terms.servers() == 1 && terms.coordinators() == 0 && kinds.remove(Kind.KILL_SERVER)) {
            skipped.add("kill-server: the only server is the coordinator");
        }
        if (!terms.relays(site.hosts()) && kinds.remove(Kind.KILL_RELAY)) {
            skipped.add("kill-relay: no worker relays; needs --transport udp and a --tree other than flat");
        }
        if (!terms.movesServers() && kinds.removeIf(Kind::movesServers)) {
            skipped.add("server-joins, server-leaves, kill-newcomer: need --max-servers, and --tree flat or auto");
        }
        if (terms.workerPlaces() == 1 && kinds.removeIf(Kind::movesWorkers)) {
            skipped.add("worker-joins, worker-leaves: need places for two workers or more");
        }
        skipped.forEach(reason -> log("skipped " + reason));
        return kinds;
    }

    private ChaosReport run(Jobs jobs, Terms terms, List<Kind> kinds) throws IOException, InterruptedException {
        jobs.prepare();
        Tally tally = new Tally();
        Schedule schedule = new Schedule(seed, kinds, terms);
        List<Outcome> outcomes = new ArrayList<>();
        long startNs = System.nanoTime();
        do {
            Outcome outcome = jobs.disturbed(
                    tally, schedule, () -> kinds.isEmpty() || isOver(startNs, tally), datagrams - thrown(tally));
            outcomes.add(outcome);
            log("job " + outcomes.size() + ": replicas "
                    + (outcome.isSame() ? "equal the reference" : outcome.replicas() + ", not " + outcome.reference()));
        } while (!tally.isGivenUp() && (thrown(tally) < datagrams || !kinds.isEmpty() && !isOver(startNs, tally)));
        return new ChaosReport(
                seed,
                minutes,
                outcomes.size(),
                tally.events(),
                tally.kills(),
                tally.relays(),
                tally.coordinators(),
                tally.takeovers(),
                tally.slowestTakeover(),
                tally.cuts(),
                tally.healed(),
                tally.longestHealed(),
                tally.rejoins(),
                tally.starts(),
                distinct(outcomes, Outcome::replicas),
                distinct(outcomes, Outcome::reference),
                outcomes.stream().allMatch(Outcome::isSame),
                tally.lost(),
                tally.longestStall(),
                tally.slowestReport(),
                terms.limitMs() / MS_PER_S,
                tally.hangs(),
                tally.unexplainedEnds(),
                tally.traces(),
                tally.datagrams(),
                tally.frames(),
                tally.hostileRate(),
                tally.refused(),
                tally.notes(),
                tally.crossings(),
                List.copyOf(skipped));
    }

    private static String distinct(List<Outcome> outcomes, Function<Outcome, String> hash) {
        return outcomes.stream().map(hash).distinct().collect(Collectors.joining(", "));
    }

    private boolean isOver(long startNs, Tally tally) {
        return System.nanoTime() - startNs > minutes * NS_PER_MINUTE || tally.events() >= most;
    }

    private static long thrown(Tally tally) {
        return tally.datagrams() + tally.frames();
    }

    private synchronized void log(String what) {
        PrintWriter err = spec.commandLine().getErr();
        err.printf(Locale.ROOT, "%7.1f s  %s%n", (System.nanoTime() - beginNs) / NS_PER_S, what);
        err.flush();
    }

    private void print(ChaosReport report) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "%s: seed %d, %d jobs, %d events, %d processes killed (%d relays), %d nodes rejoined, %d"
                        + " starts of whole jobs%n",
                report.isGood() ? "passed" : "FAILED",
                report.seed(),
                report.jobs(),
                report.events(),
                report.kills(),
                report.relayKills(),
                report.rejoins(),
                report.starts());
        out.printf("  replicas       %s%n", report.identical() ? "identical to the reference" : "DIFFER");
        out.printf("                 %s%n", report.replicaHash());
        out.printf("  lost           %d updates%n", report.lostUpdates());
        out.printf(
                Locale.ROOT,
                "  hung           %d processes, %d ended without a message; slowest report of a death %.1f s (limit"
                        + " %.1f s)%n",
                report.unreportedHangs(),
                report.unexplainedEnds(),
                report.slowestReportSeconds(),
                report.limitSeconds());
        out.printf(Locale.ROOT, "  longest stall  %.1f s%n", report.longestStallSeconds());
        out.printf(
                Locale.ROOT,
                "  coordinators   %d of several killed, %d takeovers, the slowest %.1f s after a death%n",
                report.coordinatorKills(),
                report.takeovers(),
                report.slowestTakeoverSeconds());
        out.printf(
                Locale.ROOT,
                "  cuts           %d, %d of them healed without a death, the longest %.1f s%n",
                report.cuts(),
                report.cutsHealed(),
                report.longestHealedCutSeconds());
        Crossings crossings = report.crossings();
        out.printf(
                "  members        %d workers joined, %d left; %d servers joined, %d left, %d killed while joining;"
                        + " %d rejected%n",
                crossings.workersCame(),
                crossings.workersGone(),
                crossings.serversCame(),
                crossings.serversGone(),
                crossings.newcomersKilled(),
                crossings.turnedAway());
        out.printf("  exceptions     %d escaped%n", report.escapedExceptions());
        out.printf(
                Locale.ROOT,
                "  hostile        %,d datagrams, %,d frames, %,.0f per second; nodes rejected %,d frames, %,d notes%n",
                report.datagrams(),
                report.frames(),
                report.hostileRate(),
                report.framesRefused(),
                report.notes());
        out.flush();
    }

    private void write(ChaosReport report) throws IOException {
        if (json != null) {
            OutputFile.writeJson(json, report);
        }
    }
}
