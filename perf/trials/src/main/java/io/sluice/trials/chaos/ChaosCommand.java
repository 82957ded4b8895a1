package io.sluice.trials.chaos;

import io.sluice.perf.ExitCode;
import io.sluice.perf.PerfCommand;
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

/** Tries whether a cluster comes to the same bits whatever happens to it. */
@Command(
        name = "chaos",
        description = {
            "Trains logistic regression in many processes while they are killed (-9), stopped, cut off, robbed of disk"
                    + " space and shouted at by strangers, and compares with a run that nobody disturbs.",
            "As root on Linux it runs on two hosts of a network lab, with snapshots on a small file system of their"
                    + " own; else on loopback, without what needs root. Ends with 1 if a bit differs, an update is"
                    + " lost, a process hangs or ends without a word, or an exception escapes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ChaosCommand implements PerfCommand {
    private static final double MAX_MINUTES = 24 * 60;
    private static final double MS_PER_S = 1e3;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_MINUTE = 60e9;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            defaultValue = "2",
            description =
                    "Disturb jobs, one after the other, for that long; the last ends in peace" + " (${DEFAULT-VALUE}).")
    private double minutes;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Of what happens, in which order and for how long (${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--events",
            paramLabel = "E",
            split = ",",
            description = "Only these: kill-worker, kill-relay, kill-server, kill-several, kill-coordinator,"
                    + " kill-driver, pause, corrupt, disk, cut, strangers; with --max-workers: worker-comes,"
                    + " worker-goes, server-comes, server-goes, kill-newcomer, pause, cut, strangers; or none (all).")
    private List<String> events;

    @Option(
            names = "--most",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Events at most; then it ends, even before its time (${DEFAULT-VALUE}).")
    private int most;

    @Option(
            names = "--datagrams",
            paramLabel = "N",
            defaultValue = "0",
            description = "Datagrams and frames of strangers that are thrown beside all else, at --datagram-rate; it"
                    + " takes as long as that takes (${DEFAULT-VALUE}).")
    private long datagrams;

    @Option(
            names = "--datagram-rate",
            paramLabel = "R",
            defaultValue = "20000",
            description = "Of those, in a second; a flood that takes all processors is another trial"
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
        SluiceProgram program = SluiceProgram.find();
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
                            ? "expected none that has nodes die: a job of --max-workers begins again from its snapshots"
                                    + " with --on-death wait only"
                            : "expected --max-workers with it: without, nodes are the same all the time"));
        }
        if (kind.movesServers() && !terms.movesServers()) {
            throw new IllegalArgumentException(
                    event + "expected --tree flat or auto, and places for two servers or more (--max-servers)");
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
            skipped.add("cut: there is no network lab");
        }
        if (!disk.canBeFilled() && kinds.remove(Kind.DISK)) {
            skipped.add("disk: a file system in memory cannot be mounted here; root on Linux can");
        }
        if (terms.servers() == 1 && terms.coordinators() == 0 && kinds.remove(Kind.KILL_SERVER)) {
            skipped.add("kill-server: the only server coordinates");
        }
        if (!terms.relays(site.hosts()) && kinds.remove(Kind.KILL_RELAY)) {
            skipped.add("kill-relay: no worker passes anything on; --transport udp and a --tree have some do");
        }
        if (!terms.movesServers() && kinds.removeIf(Kind::movesServers)) {
            skipped.add("server-comes, server-goes, kill-newcomer: --tree flat and --max-servers have them");
        }
        if (terms.workerPlaces() == 1 && kinds.removeIf(Kind::movesWorkers)) {
            skipped.add("worker-comes, worker-goes: the only worker stays, and there is no place for another");
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
            log("job " + outcomes.size() + " came to "
                    + (outcome.isSame() ? "the same" : outcome.replicas() + ", not " + outcome.reference()));
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
                tally.strangerRate(),
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
                "%s: seed %d, %d jobs, %d events, %d processes killed (%d relays), %d back while others waited, %d"
                        + " starts of all%n",
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
                "  hung           %d processes, %d ended without a word; the slowest word of survivors took %.1f s of"
                        + " %.1f%n",
                report.unreportedHangs(),
                report.unexplainedEnds(),
                report.slowestReportSeconds(),
                report.limitSeconds());
        out.printf(Locale.ROOT, "  longest stall  %.1f s%n", report.longestStallSeconds());
        out.printf(
                Locale.ROOT,
                "  coordinators   %d of several killed, %d take-overs, the slowest %.1f s after a death%n",
                report.coordinatorKills(),
                report.takeovers(),
                report.slowestTakeoverSeconds());
        out.printf(
                Locale.ROOT,
                "  cuts           %d, %d of them healed without a death, of up to %.1f s%n",
                report.cuts(),
                report.cutsHealed(),
                report.longestHealedCutSeconds());
        Crossings crossings = report.crossings();
        out.printf(
                "  crossings      %d workers came, %d went; %d servers came, %d went, %d killed on their way in;"
                        + " %d turned away%n",
                crossings.workersCame(),
                crossings.workersGone(),
                crossings.serversCame(),
                crossings.serversGone(),
                crossings.newcomersKilled(),
                crossings.turnedAway());
        out.printf("  exceptions     %d escaped%n", report.escapedExceptions());
        out.printf(
                Locale.ROOT,
                "  strangers      %,d datagrams, %,d frames, %,.0f a second; nodes refused %,d, in %,d sentences%n",
                report.datagrams(),
                report.frames(),
                report.strangerRate(),
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
