package io.sluice.perf.link;

import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import io.sluice.perf.ExitCode;
import io.sluice.perf.options.OutputOptions;
import io.sluice.perf.options.RaceOptions;
import io.sluice.perf.race.Progress;
import io.sluice.perf.race.Race;
import io.sluice.perf.report.BusyThreads;
import io.sluice.perf.report.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures links against Aeron without Sluice, in one run. */
@Command(
        name = "link",
        description = {
            "Measures links against raw Aeron: throughput, round trips, latencies at a fixed rate.",
            "Every stack sends the same sealed frames over the same channels of one media driver, and every frame is"
                    + " counted where it arrives. Turns are interleaved, each stack in a JVM of its own, a thread that"
                    + " sends and one that receives, bound to a core each. The defaults take about four minutes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class LinkCommand implements Callable<Integer> {
    private static final int FIRST_STREAM = 1_200;

    /** Streams of one race: there and back for each stack. */
    private static final int STREAMS = 2 * LinkStack.values().length;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            converter = LinkMode.Converter.class,
            defaultValue = "throughput",
            description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private LinkMode mode;

    @Option(
            names = "--channel",
            paramLabel = "CHANNEL",
            split = ",",
            defaultValue = "ipc,udp",
            description = "Of ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}); udp is over the loopback interface.")
    private List<LinkMedium> media;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            split = ",",
            converter = FrameLength.Converter.class,
            defaultValue = "64,1kib,8kib,65472,64kib",
            description = "Lengths of frames with their headers, 64 to 64kib (${DEFAULT-VALUE}). Aeron carries up to"
                    + " 65472 in one piece.")
    private List<FrameLength> sizes;

    @Option(
            names = "--rate",
            paramLabel = "N",
            split = ",",
            description =
                    "Frames a second of an open loop, each 100 to 10000000; with the word sweep also twice the last"
                            + " one, and so on up to saturation (default 10000).")
    private List<String> rates = List.of();

    @Option(
            names = "--idle",
            paramLabel = "HOW",
            defaultValue = "backoff",
            description = "What sender and receiver do while there is nothing to do: ${COMPLETION-CANDIDATES}"
                    + " (${DEFAULT-VALUE}).")
    private Waiting waiting;

    @Option(
            names = "--hlog",
            paramLabel = "FILE",
            description = "Write the histogram of every turn as a log for HdrHistogram's tools.")
    private Path hlog;

    @Mixin
    private RaceOptions options;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        LinkRates steps = LinkRates.parse(mode, rates);
        LinkPlan plan = new LinkPlan(mode, steps.first(), waiting, options.isQuick(), options.isOneJvm());
        options.race(plan.pace()); // refuses wrong options before anything runs
        List<Integer> lengths =
                sizes.stream().map(FrameLength::bytes).distinct().sorted().toList();
        List<LinkMedium> distinctMedia = media.stream().distinct().sorted().toList();
        output.check();
        checkLog();
        PrintWriter out = spec.commandLine().getOut();
        options.introduce(output.machine(), out);
        List<LinkComparison> all = new ArrayList<>();
        Driver.Context context = plan.driverContext(distinctMedia);
        BusyThreads busy = BusyThreads.withDriver("sender, receiver and media driver", 2, context.threading());
        plan.checkWaiting(busy, output.machine().cores());
        busy.warning(output.machine().cores()).ifPresent(out::println);
        try (Driver driver = Driver.launch(context)) {
            driver.warnings().forEach(warning -> out.println("WARNING: " + warning));
            for (LinkMedium medium : distinctMedia) {
                List<LinkComparison> ofMedium = new ArrayList<>();
                int stream = FIRST_STREAM;
                for (int length : lengths) {
                    Double rate = steps.first();
                    while (rate != null) {
                        LinkComparison comparison = run(plan.at(rate), medium, length, stream, driver);
                        ofMedium.add(comparison);
                        stream += STREAMS;
                        rate = mode == LinkMode.OPEN_LOOP
                                ? steps.after(
                                        rate, comparison.of(LinkStack.OURS).isSaturated())
                                : null;
                    }
                }
                out.printf("%n%s over %s%n", mode, medium);
                LinkReport.print(ofMedium, out);
                draw(ofMedium, out);
                all.addAll(ofMedium);
            }
        }
        explain(out);
        output.writeJson(spec, all.stream().map(LinkComparison::row).toList(), List.of());
        if (hlog != null) {
            LatencyLog.write(hlog, all, output.commandLine(spec));
        }
        return ExitCode.OK;
    }

    private void checkLog() {
        if (hlog != null) {
            if (!mode.recordsLatencies()) {
                throw new IllegalArgumentException("--hlog " + hlog + ": --mode " + mode + " records no latencies");
            }
            OutputFile.check("--hlog", hlog);
        }
    }

    /** One race of all stacks, on streams from this id on. */
    private LinkComparison run(LinkPlan plan, LinkMedium medium, int length, int firstStream, Driver driver)
            throws IOException {
        List<LinkEntrant> entrants = new ArrayList<>();
        for (LinkStack stack : LinkStack.values()) {
            int stream = firstStream + 2 * stack.ordinal();
            entrants.add(new LinkEntrant(
                    plan.trial(medium, length, stack, stream, driver.directory().toString())));
        }
        Race race = options.race(plan.pace());
        try (Progress progress = new Progress(spec.commandLine().getOut(), race.steps(entrants.size()))) {
            progress.task(medium + ", " + length + " bytes" + plan.rateWords());
            return LinkComparison.of(race.run(entrants, progress));
        }
    }

    private void draw(List<LinkComparison> comparisons, PrintWriter out) throws IOException {
        if (output.plot() != null) {
            LinkReport.plot(comparisons, output.plot()).forEach(path -> out.println("drawn: " + path));
        }
    }

    private void explain(PrintWriter out) {
        out.println();
        out.println("  raw        ExclusivePublication.offer and Subscription.controlledPoll");
        out.println("  raw+crc    and the receiver verifies a CRC-32C over each frame");
        out.println("  ours       Link and Inbox: each frame validated, over udp with its checksum; sealed before");
        out.println("             (with it over ipc, too: SLUICE_JVM_OPTS=-Dsluice.ipc.verify=true)");
        out.println("  ours+seal  and the sender seals each frame before it offers it");
        if (mode == LinkMode.RTT) {
            out.println("  latency    from before the offer until the frame is back");
        } else if (mode == LinkMode.OPEN_LOOP) {
            out.println("  latency    from when the frame was due to be sent, whenever it was, to its arrival");
        }
        if (mode.recordsLatencies()) {
            out.println("  p50 / raw, p99 / raw: medians over the rounds; percentiles are of all rounds together");
        }
        out.println("  more than " + Channels.maxUnfragmentedLength(Channels.MAX_MTU)
                + " bytes go in two pieces, which both sides join with a copy");
        out.flush();
    }
}
