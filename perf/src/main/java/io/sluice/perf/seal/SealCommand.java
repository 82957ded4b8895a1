package io.sluice.perf.seal;

import io.sluice.codecs.Frame;
import io.sluice.perf.ExitCode;
import io.sluice.perf.UnavailableException;
import io.sluice.perf.options.JsonOption;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what sealing costs. */
@Command(
        name = "seal",
        description = {
            "Measures what it costs to seal frames.",
            "How fast one core seals and opens frames of several lengths, and how long a frame of 64 bytes takes to"
                    + " another thread and back over shared memory, open and sealed."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SealCommand implements Callable<Integer> {
    private static final int[] FRAME_BYTES = {4 << 10, 64 << 10, 256 << 10};
    private static final int MOST_TURNS = 1_000;
    private static final int MOST_TRIPS = 100_000_000;
    private static final int HALVES = 2;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--turns",
            paramLabel = "N",
            defaultValue = "9",
            description = "Turns of each length, of which the median counts, 1 to 1000 (${DEFAULT-VALUE}).")
    private int turns;

    @Option(
            names = "--trips",
            paramLabel = "N",
            defaultValue = "500000",
            description = "Round trips, open and sealed each (${DEFAULT-VALUE}).")
    private int trips;

    @Mixin
    private JsonOption json;

    @Override
    public Integer call() throws IOException {
        requireWithin("--turns", turns, MOST_TURNS);
        requireWithin("--trips", trips, MOST_TRIPS);
        json.check();
        PrintWriter out = spec.commandLine().getOut();
        out.println(json.machine().sentence());
        List<SealRow> rows = new ArrayList<>();
        for (int bytes : FRAME_BYTES) {
            SealSpeed speed = new SealSpeed(bytes, turns);
            rows.add(speed.seal());
            rows.add(speed.open());
        }
        printSpeeds(out, rows);
        List<SealRow> roundTrips = roundTrips();
        printRoundTrips(out, roundTrips);
        rows.addAll(roundTrips);
        out.flush();
        json.write(spec, rows, List.of());
        return ExitCode.OK;
    }

    private static void requireWithin(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", expected 1 to " + most);
        }
    }

    /** Open and sealed in turns, so that what else the machine does falls on both. */
    private List<SealRow> roundTrips() {
        Histogram open = null;
        Histogram sealed = null;
        try (SealRoundTrip roundTrip = SealRoundTrip.launch()) {
            for (int half = 0; half < HALVES; half++) {
                open = sum(open, roundTrip.measure(false, Math.ceilDiv(trips, HALVES)));
                sealed = sum(sealed, roundTrip.measure(true, Math.ceilDiv(trips, HALVES)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted");
        }
        return List.of(row("round trip, open", open), row("round trip, sealed", sealed));
    }

    private static Histogram sum(Histogram before, Histogram more) {
        if (before != null) {
            more.add(before);
        }
        return more;
    }

    private static SealRow row(String what, Histogram latencies) {
        return new SealRow(
                what,
                Frame.DATA_LENGTH,
                latencies.getTotalCount(),
                null,
                null,
                null,
                latencies.getValueAtPercentile(50),
                latencies.getValueAtPercentile(99));
    }

    private static void printSpeeds(PrintWriter out, List<SealRow> rows) {
        TextTable table = new TextTable(1, "", "frame bytes", "GB/s", "ns", "allocated bytes");
        for (SealRow row : rows) {
            table.add(
                    row.what(),
                    String.valueOf(row.frameBytes()),
                    String.format("%.2f", row.gbPerSecond()),
                    String.format("%.0f", row.nsPerFrame()),
                    String.format("%.0f", row.allocatedBytes()));
        }
        out.printf("%nAES-256-GCM and CRC-32C, one core%n");
        table.print(out);
    }

    private static void printRoundTrips(PrintWriter out, List<SealRow> rows) {
        TextTable table = new TextTable(1, "", "p50 ns", "p99 ns");
        rows.forEach(row -> table.add(row.what(), String.valueOf(row.p50Ns()), String.valueOf(row.p99Ns())));
        out.printf(
                "%n64 bytes to another thread and back over shared memory, %d trips each%n",
                rows.getFirst().frames());
        table.print(out);
        out.printf(
                "  added by two seals and two openings: %d ns (p50), %d ns (p99)%n",
                rows.getLast().p50Ns() - rows.getFirst().p50Ns(),
                rows.getLast().p99Ns() - rows.getFirst().p99Ns());
    }
}
