package io.sluice.codecs.api;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The results of compression: a row for each frame class and compressor.
 *
 * @param rows ordered by class, then by compressor
 */
public record CompressionReport(List<Row> rows) {
    /** The report if compression was never tried. */
    public static final CompressionReport NOTHING = new CompressionReport(List.of());

    /**
     * The results of one compressor for one class of frames.
     *
     * @param frameClass       block format and type of values, such as {@code bitmap f32}
     * @param compressor       name of the compressor
     * @param framesTried      blocks that it compressed on trial
     * @param framesCompressed frames sent compressed
     * @param bytesIn          bytes of the blocks tried
     * @param bytesOut         bytes of the same blocks afterwards; a block that did not get shorter counts in full
     * @param bytesSaved       bytes saved in the frames sent
     * @param encodeNs         time that compression took, in nanoseconds
     * @param senders          number of senders that use it
     */
    public record Row(
            String frameClass,
            String compressor,
            long framesTried,
            long framesCompressed,
            long bytesIn,
            long bytesOut,
            long bytesSaved,
            long encodeNs,
            int senders) {
        private String key() {
            return frameClass + '/' + compressor;
        }

        private Row plus(Row other) {
            return new Row(
                    frameClass,
                    compressor,
                    framesTried + other.framesTried,
                    framesCompressed + other.framesCompressed,
                    bytesIn + other.bytesIn,
                    bytesOut + other.bytesOut,
                    bytesSaved + other.bytesSaved,
                    encodeNs + other.encodeNs,
                    senders + other.senders);
        }

        private String summary() {
            return "%s %s %,d of %,d frames to %.0f %%"
                    .formatted(frameClass, compressor, framesCompressed, framesTried, 100.0 * bytesOut / bytesIn);
        }
    }

    /** Takes a copy of the rows. */
    public CompressionReport {
        rows = List.copyOf(rows);
    }

    /**
     * Adds up the reports of several senders.
     *
     * @param reports reports, in any order
     * @return one report
     */
    public static CompressionReport sum(Collection<CompressionReport> reports) {
        Map<String, Row> sums = new TreeMap<>();
        for (CompressionReport report : reports) {
            report.rows.forEach(row -> sums.merge(row.key(), row, Row::plus));
        }
        return new CompressionReport(new ArrayList<>(sums.values()));
    }

    /** Number of bytes saved in all frames sent. */
    public long bytesSaved() {
        return rows.stream().mapToLong(Row::bytesSaved).sum();
    }

    /**
     * Formats one line: for each row, how many of the frames that it tried were sent compressed, and the remaining
     * share of their size.
     */
    public String summary() {
        return rows.isEmpty()
                ? "nothing tried"
                : rows.stream().map(Row::summary).collect(Collectors.joining("; "));
    }
}
