package io.sluice.perf.lab.cli;

import io.sluice.console.ExitCode;
import io.sluice.perf.lab.CrossFlow;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabEvent;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.LabRemains;
import io.sluice.perf.lab.LabSchedule;
import io.sluice.perf.lab.LinkName;
import io.sluice.perf.lab.LinkTraffic;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Builds a lab, runs a job in it, and removes it. */
@Command(
        name = "run",
        description = {
            "Builds a lab, runs commands on its hosts, prints the traffic of the links, and removes the lab.",
            "The lab ends when all commands have ended or one has failed; the exit code is that of the failed command."
                    + " Without a command the lab runs until Ctrl-C: enter a host with ip netns exec."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "In commands, {host} is the host's number, {hosts} the number of hosts, {address} the host's address and"
                + " {address:N} that of host N; the environment has LAB_HOST, LAB_HOSTS, LAB_ADDRESS, LAB_ADDRESSES,"
                + " LAB_ADDRESS_N, and LAB_FOLDER, the host's folder.",
            "",
            "  sluice lab run --hosts 3 --rate 100mbit --at 5s:cut:2 --at 8s:restore:2 -- ping -c 10 {address:2}"
        })
public final class LabRunCommand implements Callable<Integer> {
    private static final Duration FOR_EVER = Duration.ofDays(10_000);
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(host|hosts|address|address:(\\d{1,4}))}");
    private static final double NS_PER_S = 1e9;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NetworkOptions network;

    @Option(
            names = "--at",
            paramLabel = "EVENT",
            description = "Change a link while the job runs: 5s:rate:1=50mbit (also uplink, downlink), 10s:cut:2,"
                    + " 12s:restore:2, 1s:rate:rack0=1gbit.")
    private List<String> events = List.of();

    @Option(
            names = "--cross",
            paramLabel = "FLOW",
            description = "Cross traffic: 0-1:100mbit; from 5 s on for 10 s: 0-1:100mbit@5s+10s; over TCP:"
                    + " 0-1:100mbit/tcp.")
    private List<String> flows = List.of();

    @Option(
            names = "--on",
            paramLabel = "HOSTS=LINE",
            description = "A shell's command line for some hosts: --on 0='iperf3 -s -1' --on 1,3-5='...'. COMMAND then"
                    + " runs on the others.")
    private List<String> lines = List.of();

    @Option(names = "--for", paramLabel = "TIME", description = "End the job after this time if it still runs.")
    private String limit;

    @Option(names = "--every", paramLabel = "TIME", description = "Print the links' counters at this interval.")
    private String every;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the report as a JSON object.")
    private Path json;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "Runs on every host; put -- before it.")
    private List<String> command = List.of();

    private final List<String> log = new CopyOnWriteArrayList<>();

    /**
     * The JSON report of a run.
     *
     * @param seconds seconds from the start of the job to its end
     * @param events  changes during the job, a line each
     */
    private record Report(
            String command,
            Machine machine,
            double seconds,
            List<String> events,
            List<HostJobs.End> commands,
            List<LinkTraffic> links) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        LabPlan plan = network.plan();
        List<LabEvent> changes = events.stream().map(text -> event(text, plan)).toList();
        List<CrossFlow> cross = flows.stream().map(text -> flow(text, plan)).toList();
        Map<Integer, List<List<String>>> commands = commands(plan);
        Duration time = limit == null ? FOR_EVER : LabEvent.time("--for", limit);
        Duration interval = every == null ? FOR_EVER : LabEvent.time("--every", every);
        if (json != null) {
            OutputFile.check("--json", json);
        }
        PrintWriter out = spec.commandLine().getOut();
        LabRemains.removeStale().forEach(stale -> out.println("removed " + stale + ", whose process was killed"));
        try (Lab lab = Lab.build(plan)) {
            introduce(lab, plan, commands.isEmpty(), out);
            return run(lab, commands, changes, cross, time, interval);
        }
    }

    private Integer run(
            Lab lab,
            Map<Integer, List<List<String>>> commands,
            List<LabEvent> changes,
            List<CrossFlow> cross,
            Duration time,
            Duration interval)
            throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        HostJobs jobs = new HostJobs(lab, out, spec.commandLine().getErr());
        long begin = System.nanoTime();
        lab.atEnd(() -> report(lab, jobs, (System.nanoTime() - begin) / NS_PER_S));
        try (LabSchedule schedule = new LabSchedule(lab, this::say)) {
            changes.forEach(schedule::add);
            cross.forEach(schedule::add);
            schedule.every(interval, () -> TrafficTable.print(lab.traffic(), out));
            for (Map.Entry<Integer, List<List<String>>> ofHost : commands.entrySet()) {
                for (List<String> words : ofHost.getValue()) {
                    jobs.start(ofHost.getKey(), words);
                }
            }
            if (commands.isEmpty()) {
                Thread.sleep(time);
                return ExitCode.OK;
            }
            return jobs.await(time);
        }
    }

    private static LabEvent event(String text, LabPlan plan) {
        LabEvent event = LabEvent.parse("--at", text);
        plan.checkName("--at " + text, event.link());
        return event;
    }

    private static CrossFlow flow(String text, LabPlan plan) {
        CrossFlow flow = CrossFlow.parse("--cross", text);
        plan.checkName("--cross " + text, LinkName.host(flow.from()));
        plan.checkName("--cross " + text, LinkName.host(flow.to()));
        return flow;
    }

    /** The commands of each host, those of {@code --on} first. */
    private Map<Integer, List<List<String>>> commands(LabPlan plan) {
        Map<Integer, List<List<String>>> commands = new TreeMap<>();
        for (String line : lines) {
            String[] halves = line.split("=", 2);
            if (halves.length < 2 || halves[1].isBlank()) {
                throw new IllegalArgumentException(
                        "--on is '" + line + "', expected HOSTS=LINE such as 0,2='ping -c 1 {address:1}'");
            }
            for (int host : NetworkOptions.hosts("--on", halves[0], plan)) {
                commands.computeIfAbsent(host, _ -> new ArrayList<>())
                        .add(List.of("sh", "-c", fill(halves[1], host, plan)));
            }
        }
        for (int host = 0; host < plan.hosts() && !command.isEmpty(); host++) {
            int number = host;
            if (!commands.containsKey(number)) {
                List<String> words =
                        command.stream().map(word -> fill(word, number, plan)).toList();
                commands.put(number, List.of(words));
            }
        }
        return commands;
    }

    /** Replaces the placeholders for a host; rejects addresses of unknown hosts. All other braces stay unchanged. */
    private static String fill(String word, int host, LabPlan plan) {
        return PLACEHOLDER.matcher(word).replaceAll(match -> switch (match.group(1)) {
            case "host" -> Integer.toString(host);
            case "hosts" -> Integer.toString(plan.hosts());
            case "address" -> Host.address(host);
            default -> {
                int other = Integer.parseInt(match.group(2));
                plan.checkName(match.group(), LinkName.host(other));
                yield Host.address(other);
            }
        });
    }

    private void introduce(Lab lab, LabPlan plan, boolean stays, PrintWriter out) {
        out.printf(
                "%s: %d hosts, addresses %s to %s%n",
                lab.name(),
                plan.hosts(),
                lab.host(0).address(),
                lab.host(plan.hosts() - 1).address());
        if (stays) {
            out.println("the lab runs until Ctrl-C" + (limit == null ? "" : ", at most " + limit)
                    + "; enter it with ip netns exec " + lab.host(0).namespace() + " bash");
        }
        out.flush();
    }

    private void say(String line) {
        log.add(line);
        PrintWriter out = spec.commandLine().getOut();
        out.println("lab   | " + line);
        out.flush();
    }

    private void report(Lab lab, HostJobs jobs, double seconds) {
        PrintWriter out = spec.commandLine().getOut();
        List<LinkTraffic> links = lab.traffic();
        out.printf("%ntraffic of the links in %.1f s%n", seconds);
        TrafficTable.print(links, out);
        if (json == null) {
            return;
        }
        List<String> words = spec.commandLine().getParseResult().originalArgs();
        Report report = new Report(
                "sluice " + String.join(" ", words), Machine.current(), seconds, List.copyOf(log), jobs.ends(), links);
        try {
            OutputFile.writeJson(json, report);
        } catch (IOException e) {
            spec.commandLine().getErr().println("sluice: " + json + " cannot be written: " + e.getMessage());
        }
    }
}
