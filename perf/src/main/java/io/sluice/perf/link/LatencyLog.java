package io.sluice.perf.link;

import io.sluice.perf.report.OutputFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * The histogram of every turn, in the log format of HdrHistogram, for its own tools: one interval for each turn, in the
 * order in which they ran, tagged with stack, channel and size, such as {@code ours-ipc-64}; where there are several
 * rates also with the rate, such as {@code ours-ipc-64-10000}. Values are nanoseconds,
 * and the column of the maximum is in milliseconds, as that format has it.
 */
final class LatencyLog {
    private LatencyLog() {}

    /**
     * Writes the log.
     *
     * @param file to write to
     * @param comparisons with latencies, at least one
     * @param command that made them, as a comment
     * @throws IOException if that fails
     */
    static void write(Path file, List<LinkComparison> comparisons, String command) throws IOException {
        boolean severalRates =
                comparisons.stream().map(each -> each.trial().rate()).distinct().count() > 1;
        List<Histogram> intervals = comparisons.stream()
                .flatMap(comparison -> comparison.all().stream())
                .flatMap(figures -> figures.result().turns().stream()
                        .map(turn -> tagged(turn.latencies(), figures.trial(), severalRates)))
                .sorted(Comparator.comparingLong(Histogram::getStartTimeStamp))
                .toList();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer = new HistogramLogWriter(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        long begin = intervals.getFirst().getStartTimeStamp();
        writer.outputComment(command);
        writer.outputLogFormatVersion();
        writer.outputStartTime(begin);
        writer.setBaseTime(begin);
        writer.outputLegend();
        intervals.forEach(writer::outputIntervalHistogram);
        writer.close();
        OutputFile.write(file, bytes.toByteArray());
    }

    private static Histogram tagged(Histogram latencies, LinkTrial trial, boolean withRate) {
        String tag = trial.stack().configName() + "-" + trial.medium() + "-" + trial.frameLength();
        latencies.setTag(withRate ? tag + "-" + Math.round(trial.rate()) : tag);
        return latencies;
    }
}
