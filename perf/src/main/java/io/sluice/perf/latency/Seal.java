package io.sluice.perf.latency;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.messaging.Transport;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Measures the cost of sealed frames: the time of one core, and the delay of a round trip. */
public final class Seal extends Experiment<Seal.Variant> {
    private static final int[] FRAME_BYTES = {4 << 10, 64 << 10, 256 << 10};
    private static final int WARM_UP = 10_000;
    private static final long BYTES_PER_TURN = 64L << 20;
    private static final int MOST_FRAMES = 50_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Parameter<Integer> TRIPS =
            Parameter.whole("trips", 50_000, 1, 100_000_000).help("Round trips of a turn, open and sealed each");

    public static final Scenario SCENARIO = new Scenario(
            "seal",
            List.of(
                    "Measures how fast one core seals and opens frames, and what sealing adds to a round trip.",
                    "Frames of several lengths are sealed with AES-256-GCM and CRC-32C. A frame of 64 bytes is sent to"
                            + " another thread and back over shared memory, open and sealed."),
            9,
            Parameter.declaredBy(Seal.class),
            new Layout(
                    row -> row.has("p50_ns")
                            ? "64 bytes to another thread and back over shared memory"
                            : "AES-256-GCM and CRC-32C, one core",
                    List.of(
                            Column.fact("what").shown("what"),
                            Column.fact("frame_bytes").shown("frame bytes", "%,.0f"),
                            Column.sum("frames").whole(),
                            Column.median("ns_per_frame").shown("ns", "%,.0f"),
                            Column.quotient("gb_per_second", "frame_bytes", "ns_per_frame")
                                    .shown("GB/s", "%.2f"),
                            Column.mean("allocated_bytes", "allocated_bytes").shown("allocated bytes", "%.0f"),
                            Column.percentile("p50_ns", "trip_ns", 50).whole().shown("p50 ns", "%,.0f"),
                            Column.percentile("p99_ns", "trip_ns", 99).whole().shown("p99 ns", "%,.0f"))),
            Seal::new);

    private Transport transport;

    record Variant(String what, boolean sealed, int frameBytes) {}

    private Seal(Settings settings) {
        super(settings);
    }

    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (int bytes : FRAME_BYTES) {
            variants.add(new Variant("seal", true, bytes));
            variants.add(new Variant("open", true, bytes));
        }
        variants.add(new Variant("round trip, open", false, Frame.DATA_LENGTH));
        variants.add(new Variant("round trip, sealed", true, Frame.DATA_LENGTH));
        return variants;
    }

    @Override
    public int warmUps() {
        return 1;
    }

    @Override
    public void open() {
        Driver.Context context = new Driver.Context();
        Path own = context.directory()
                .resolveSibling("sluice-perf-seal-" + ProcessHandle.current().pid());
        closing(Driver.launch(context.directory(own)));
        transport = closing(Transport.connect(new Transport.Context().directory(own)));
    }

    @Override
    public List<Sample> measure(Variant variant) {
        Sample sample = new Sample().fact("what", variant.what()).fact("frame_bytes", variant.frameBytes());
        return List.of(
                switch (variant.what()) {
                    case "seal" -> seal(sample, new SealedFrame(variant.frameBytes()));
                    case "open" -> open(sample, new SealedFrame(variant.frameBytes()));
                    default ->
                        sample.figure("frames", get(TRIPS)).figure("trip_ns", trips(variant.sealed(), get(TRIPS)));
                });
    }

    /** Seals frames, and adds the time to a sample. */
    private static Sample seal(Sample sample, SealedFrame frame) {
        FrameSeal seal = SealedFrame.newSeals().newSeal();
        return measure(sample, frame.length, () -> frame.finish(seal));
    }

    /** Opens frames, and adds the time to a sample. */
    private static Sample open(Sample sample, SealedFrame frame) {
        int sealed = frame.finish(SealedFrame.newSeals().newSeal());
        FrameOpener opener = SealedFrame.newOpener(frame.length);
        FrameValidator validator = new FrameValidator(SealedFrame.CLUSTER, new FrameChecksum()).sealed(SealRule.SEALED);
        return measure(sample, frame.length, () -> {
            Rejection rejection = validator.validate(frame.frame.buffer(), 0, sealed);
            rejection = rejection == null ? opener.open(frame.frame.buffer(), 0, sealed) : rejection;
            if (rejection != null) {
                throw new IllegalStateException("a frame just sealed was refused: " + rejection);
            }
        });
    }

    private static Sample measure(Sample sample, int frameBytes, Runnable once) {
        int frames = (int) Math.min(MOST_FRAMES, BYTES_PER_TURN / frameBytes);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        long startNs = System.nanoTime();
        for (int i = 0; i < frames; i++) {
            once.run();
        }
        double tookNs = System.nanoTime() - startNs;
        double allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        return sample.figure("frames", frames)
                .figure("ns_per_frame", tookNs / frames)
                .figure("allocated_bytes", allocated / frames);
    }

    private double[] trips(boolean sealed, int trips) {
        try (Echo echo = Echo.overIpc(transport, sealed)) {
            for (int i = 0; i < WARM_UP; i++) {
                echo.ask();
            }
            return IntStream.range(0, trips).mapToDouble(_ -> echo.ask()).toArray();
        }
    }

    @Override
    public List<String> conclusions(List<Row> rows) {
        List<Row> trips = rows.stream().filter(row -> row.has("p50_ns")).toList();
        if (trips.size() < 2) {
            return List.of();
        }
        return List.of(String.format(
                "added by two seals and two openings: %.0f ns (p50), %.0f ns (p99)",
                trips.get(1).number("p50_ns") - trips.get(0).number("p50_ns"),
                trips.get(1).number("p99_ns") - trips.get(0).number("p99_ns")));
    }
}
