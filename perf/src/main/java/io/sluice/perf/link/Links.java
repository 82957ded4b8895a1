package io.sluice.perf.link;

import io.sluice.codecs.Frame;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.benchmark.BenchmarkExperiment;
import io.sluice.perf.benchmark.Pace;
import io.sluice.perf.benchmark.Turn;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.report.OutputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Measures links against raw Aeron, in one run. A group has one length of frames and one rate. */
public final class Links extends BenchmarkExperiment<LinkSpec> {
    private static final int FIRST_STREAM = 1_200;

    /** Number of bytes of one pass at full throughput. */
    private static final int PASS_BYTES = 16 << 20;

    private static final int LEAST_PASS_FRAMES = 256;
    private static final int MOST_PASS_FRAMES = 100_000;
    private static final int ROUND_TRIPS = 1_000;

    /** Seconds of one turn of an open loop, which is one pass. */
    private static final double TURN_SECONDS = 0.5;

    private static final double QUICK_TURN_SECONDS = 0.05;

    /** Number of frames until the code is compiled. */
    private static final int WARM_UP_FRAMES = 30_000;

    private static final int MOST_WARM_UP_PASSES = 10;
    private static final long LOG_RESERVE = 64L << 20;
    private static final int MOST_FRAME_BYTES = 1 << 16;
    private static final Pattern LENGTH = Pattern.compile("(\\d{1,6})(kib|b)?");
    private static final Parameter<LinkSpec.Mode> MODE =
            Parameter.constant("mode", LinkSpec.Mode.THROUGHPUT, "What is measured");
    private static final Parameter<List<LinkSpec.Medium>> CHANNEL = Parameter.constant(
                    "channel", LinkSpec.Medium.IPC, "What carries frames; udp is over the loopback interface")
            .several("ipc,udp");
    private static final Parameter<List<Integer>> SIZE = Parameter.of("size", "BYTES", null, Links::frameLength)
            .several("64,1kib,8kib,65472,64kib")
            .help("Lengths of frames with their headers, 64 to 64kib; Aeron carries up to 65472 in one piece");
    private static final Parameter<List<String>> RATE = Parameter.text("rate", "N", null)
            .several()
            .help("Frames a second of an open loop, each 100 to 10000000; with the word sweep also twice the last"
                    + " one, and so on up to saturation (default 10000)");
    private static final Parameter<LinkSpec.Waiting> IDLE = Parameter.constant(
            "idle", LinkSpec.Waiting.BACKOFF, "What sender and receiver do while there is nothing to do");
    private static final Parameter<Path> HLOG =
            Parameter.path("hlog", "FILE").help("Write the histogram of every turn as a log for HdrHistogram's tools");

    public static final Scenario SCENARIO = new Scenario(
            "link",
            List.of(
                    "Measures links against raw Aeron: throughput, round trips, latencies at a fixed rate.",
                    "Every stack sends the same frames over the same channels of one media driver, and every"
                            + " frame is counted where it arrives. Turns are interleaved, each stack in a JVM of its"
                            + " own, a thread that sends and one that receives, bound to a core each. The defaults take"
                            + " about four minutes."),
            7,
            Parameter.declaredBy(Links.class, ONE_JVM, QUICK),
            LinkLayout.of(),
            Links::new);

    private final LinkSpec.Mode mode;
    private final List<LinkSpec.Medium> media;
    private final LinkRates rates;
    private final LinkSpec.Waiting waiting;

    /** Sender, receiver and media driver need a core for each of their threads all the time. */
    private final int busy = 2 + new Driver.Context().threading().threads();

    private final LatencyLog log;
    private final Queue<Group> groups = new ArrayDeque<>();
    private final Set<LinkSpec> warm = new HashSet<>();
    private Group group;
    private Double rate;
    private int stream = FIRST_STREAM;
    private Driver driver;

    /** The variants of each rate. */
    private record Group(LinkSpec.Medium medium, int length) {}

    private Links(Settings settings) {
        super(settings);
        mode = get(MODE);
        media = get(CHANNEL).stream().distinct().sorted().toList();
        rates = LinkRates.parse(mode, all(RATE));
        waiting = get(IDLE);
        requireCores();
        Path file = get(HLOG);
        requireLatencies(file);
        log = file == null ? null : new LatencyLog(file, settings);
        List<Integer> lengths = get(SIZE).stream().distinct().sorted().toList();
        media.forEach(medium -> lengths.forEach(length -> groups.add(new Group(medium, length))));
    }

    private static int frameLength(String option, String text) {
        Matcher matcher = LENGTH.matcher(text.toLowerCase(Locale.ROOT));
        int bytes = matcher.matches()
                ? Integer.parseInt(matcher.group(1)) << ("kib".equals(matcher.group(2)) ? 10 : 0)
                : -1;
        if (bytes < Frame.DATA_LENGTH || bytes > MOST_FRAME_BYTES || bytes % Float.BYTES != 0) {
            throw Parameter.refusal(
                    option,
                    text,
                    Frame.DATA_LENGTH + " to " + MOST_FRAME_BYTES + " bytes, a multiple of " + Float.BYTES
                            + ", such as 256 or 64kib");
        }
        return bytes;
    }

    private static int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    static String warning(int busy, int cores) {
        return busy <= cores
                ? ""
                : "WARNING: sender, receiver and media driver are " + busy + " busy threads on " + cores
                        + " cores: times include waiting for a core";
    }

    /** Rejects spinning if a busy thread would have no core, because then no thread makes progress. */
    private void requireCores() {
        if (waiting == LinkSpec.Waiting.SPIN && busy > cores()) {
            throw new IllegalArgumentException("--idle spin needs a core for each of " + busy
                    + " busy threads, and there are " + cores() + ": choose yield or backoff");
        }
    }

    private void requireLatencies(Path hlog) {
        if (hlog != null) {
            if (!mode.recordsLatencies()) {
                throw new IllegalArgumentException(
                        "--hlog " + hlog + ": --mode " + Parameter.word(mode) + " records no latencies");
            }
            OutputFile.check("--hlog", hlog);
        }
    }

    @Override
    public String introduction() {
        return (super.introduction() + "\n" + warning(busy, cores())).strip();
    }

    /** Launches a media driver for this run, in a directory beside those of the other tools. */
    @Override
    public void open() {
        Driver.Context context = new Driver.Context();
        Path own = context.directory()
                .resolveSibling("sluice-perf-link-" + ProcessHandle.current().pid());
        ChannelSettings lengths = context.channels();
        long term = Math.max(lengths.ipcTermLength(), lengths.udpTermLength());
        int logs = media.stream().mapToInt(LinkSpec.Medium::logs).max().orElse(1);
        int streams = LinkStack.values().length * (mode == LinkSpec.Mode.RTT ? 2 : 1);
        // Logs of the previous length are released after a delay.
        driver = closing(Driver.launch(context.directory(own)
                .expectedBytes(2L * streams * logs * 3 * term + LOG_RESERVE)
                .clientLivenessNs(TestBed.LIVENESS_NS)
                .closeOnShutdown(true)));
        driver.warnings().forEach(warning -> System.err.println("sluice: " + warning));
    }

    /** An open loop has one pass per turn, because each pass has due times of its own. */
    @Override
    protected Pace pace(LinkSpec spec) {
        if (mode != LinkSpec.Mode.OPEN_LOOP) {
            return Pace.STREAMS;
        }
        int passes = Math.clamp(WARM_UP_FRAMES / spec.framesPerPass(), 1, MOST_WARM_UP_PASSES);
        return new Pace(Pace.STREAMS.warmUpNanos(), passes, 1, 1);
    }

    @Override
    protected List<LinkSpec> group(List<Row> rows) {
        rate = rate == null || mode != LinkSpec.Mode.OPEN_LOOP
                ? null
                : rates.after(rate, LinkLayout.isSaturated(rows.getLast()));
        if (rate == null) {
            group = groups.poll();
            rate = rates.first();
        }
        if (group == null) {
            return List.of();
        }
        List<LinkSpec> specs = new ArrayList<>();
        for (LinkStack stack : LinkStack.values()) {
            specs.add(new LinkSpec(
                    mode,
                    group.medium(),
                    group.length(),
                    stack,
                    framesPerPass(group.length()),
                    rate,
                    waiting,
                    !isOneJvm(),
                    stream,
                    driver.directory().toString()));
            stream += 2; // forward and return stream
        }
        return specs;
    }

    private int framesPerPass(int length) {
        return switch (mode) {
            case THROUGHPUT -> Math.clamp(PASS_BYTES / length, LEAST_PASS_FRAMES, MOST_PASS_FRAMES);
            case RTT -> ROUND_TRIPS;
            case OPEN_LOOP -> (int) (rate * (isQuick() ? QUICK_TURN_SECONDS : TURN_SECONDS));
        };
    }

    @Override
    protected Sample sample(LinkSpec spec, Turn turn) throws IOException {
        if (!warm.add(spec) && log != null) {
            log.add(spec, turn.latencies());
        }
        return LinkLayout.sample(spec, turn);
    }

    @Override
    public List<String> conclusions(List<Row> rows) {
        return rows.stream()
                .flatMap(row ->
                        Arrays.stream(LinkStack.values()).flatMap(stack -> LinkLayout.warning(row, stack).stream()))
                .toList();
    }
}
