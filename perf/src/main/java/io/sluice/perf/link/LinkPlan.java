package io.sluice.perf.link;

import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import io.sluice.perf.race.Pace;
import io.sluice.perf.report.BusyThreads;
import java.nio.file.Path;
import java.util.List;

/** What all trials of a run have in common. */
final class LinkPlan {
    /** Bytes of one pass of a flood, and the bounds of its frames. */
    private static final int PASS_BYTES = 16 << 20;

    private static final int LEAST_PASS_FRAMES = 256;
    private static final int MOST_PASS_FRAMES = 100_000;
    private static final int ROUND_TRIPS = 1_000;

    /** Seconds of an open loop that are one turn, which is one pass. */
    private static final double TURN_SECONDS = 0.5;

    private static final double QUICK_TURN_SECONDS = 0.05;

    /** Frames until the compiler has done its work. */
    private static final int WARM_UP_FRAMES = 30_000;

    private static final int MOST_WARM_UP_PASSES = 10;
    private static final long LOG_RESERVE = 64L << 20;

    private final LinkMode mode;
    private final double rate;
    private final Waiting waiting;
    private final boolean quick;
    private final boolean oneJvm;

    /**
     * Makes one.
     *
     * @param rate of an open loop
     * @param quick whether to cut it short
     * @param oneJvm whether all stacks run in this JVM
     */
    LinkPlan(LinkMode mode, double rate, Waiting waiting, boolean quick, boolean oneJvm) {
        this.mode = mode;
        this.rate = rate;
        this.waiting = waiting;
        this.quick = quick;
        this.oneJvm = oneJvm;
    }

    /** Refuses to spin where there is no core for every thread: then nobody gets on. */
    void checkWaiting(BusyThreads busy, int cores) {
        if (waiting == Waiting.SPIN && busy.count() > cores) {
            throw new IllegalArgumentException("--idle spin needs a core for each of " + busy.count()
                    + " busy threads, and there are " + cores + ": choose yield or backoff");
        }
    }

    /** How long things take. An open loop has one pass a turn: its due times begin anew with each. */
    Pace pace() {
        if (mode != LinkMode.OPEN_LOOP) {
            return Pace.STREAMS;
        }
        int passes = Math.clamp(WARM_UP_FRAMES / framesPerPass(1), 1, MOST_WARM_UP_PASSES);
        return new Pace(Pace.STREAMS.warmUpNanos(), passes, 1, 1);
    }

    LinkTrial trial(LinkMedium medium, int length, LinkStack stack, int stream, String driver) {
        return new LinkTrial(
                mode, medium, length, stack, framesPerPass(length), rate, waiting, !oneJvm, stream, driver);
    }

    private int framesPerPass(int length) {
        return switch (mode) {
            case THROUGHPUT -> Math.clamp(PASS_BYTES / length, LEAST_PASS_FRAMES, MOST_PASS_FRAMES);
            case RTT -> ROUND_TRIPS;
            case OPEN_LOOP -> (int) (rate * (quick ? QUICK_TURN_SECONDS : TURN_SECONDS));
        };
    }

    /** A media driver of this run's own, as the other tools have it, in a directory beside theirs. */
    Driver.Context driverContext(List<LinkMedium> media) {
        Driver.Context context = new Driver.Context();
        Path own = context.directory()
                .resolveSibling("sluice-perf-link-" + ProcessHandle.current().pid());
        Channels.Context lengths = context.channels();
        long term = Math.max(lengths.ipcTermLength(), lengths.udpTermLength());
        int logs = media.stream().mapToInt(LinkMedium::logs).max().orElse(1);
        int streams = LinkStack.values().length * (mode == LinkMode.RTT ? 2 : 1);
        // Those of the length before linger for a moment.
        return context.directory(own)
                .expectedBytes(2L * streams * logs * 3 * term + LOG_RESERVE)
                .clientLivenessNs(TestBed.LIVENESS_NS)
                .closeOnShutdown(true);
    }

    /** The rate, to be appended to what is measured. */
    String rateWords() {
        return mode == LinkMode.OPEN_LOOP ? String.format(", %,.0f frames a second", rate) : "";
    }

    /** The same at another rate. */
    LinkPlan at(double other) {
        return new LinkPlan(mode, other, waiting, quick, oneJvm);
    }
}
