package io.sluice.perf.link;

import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.report.OutputFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Writes the histogram of every turn in the log format of HdrHistogram: one interval per turn, in order of execution,
 * tagged with stack, channel and size, such as {@code ours-ipc-64}; with several rates also with the rate, such as
 * {@code ours-ipc-64-10000}. Values are nanoseconds; the format defines the column of the maximum in milliseconds. The
 * file is written after each turn.
 */
final class LatencyLog {
    private final Path file;
    private final String parameters;
    private final List<Interval> intervals = new ArrayList<>();

    private record Interval(LinkSpec spec, Histogram latencies) {}

    LatencyLog(Path file, Settings settings) {
        this.file = file;
        parameters = settings.texts().entrySet().stream()
                .map(entry -> "--" + entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    /** Adds a turn and writes the file. */
    void add(LinkSpec of, Histogram latencies) throws IOException {
        intervals.add(new Interval(of, latencies));
        boolean severalRates =
                intervals.stream().map(each -> each.spec().rate()).distinct().count() > 1;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer = new HistogramLogWriter(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        long begin = intervals.getFirst().latencies().getStartTimeStamp();
        writer.outputComment("sluice perf link " + parameters);
        writer.outputLogFormatVersion();
        writer.outputStartTime(begin);
        writer.setBaseTime(begin);
        writer.outputLegend();
        for (Interval interval : intervals) {
            LinkSpec spec = interval.spec();
            String tag = spec.stack().configName() + "-" + Parameter.word(spec.medium()) + "-" + spec.frameLength();
            interval.latencies().setTag(severalRates ? tag + "-" + Math.round(spec.rate()) : tag);
            writer.outputIntervalHistogram(interval.latencies());
        }
        writer.close();
        OutputFile.write(file, bytes.toByteArray());
    }
}
