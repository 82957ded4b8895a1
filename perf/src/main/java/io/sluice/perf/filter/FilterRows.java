package io.sluice.perf.filter;

import io.sluice.codecs.BlockFormat;
import io.sluice.perf.race.Quartiles;
import io.sluice.perf.race.Result;
import io.sluice.perf.report.Row;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** Sets the results of one race in relation to one another. */
final class FilterRows {
    private static final double MS_PER_SECOND = 1e3;

    /** What the paper compresses with. */
    private static final String PAPER_COMPRESSOR = "snappy";

    private final List<Result<FilterEntrant>> results;
    private final double axpy;
    private final double scalar;
    private final double paper;
    private final double paperBack;
    private final double paperBytes;

    private FilterRows(List<Result<FilterEntrant>> results) {
        this.results = results;
        axpy = rate(find(entrant -> entrant.job() == FilterJob.AXPY));
        scalar = rate(find(entrant -> entrant.job() == FilterJob.BRANCHING_LOOP));
        Result<FilterEntrant> path = find(entrant ->
                entrant.job() == FilterJob.PAPER && entrant.compressor().equals(PAPER_COMPRESSOR));
        paper = rate(path);
        paperBytes = path.bytes() / path.entrant().elements();
        paperBack = rate(find(entrant -> entrant.job() == FilterJob.PAPER_APPLY));
    }

    /**
     * Makes the rows of a race.
     *
     * @param results of all of {@link FilterEntrant#all}
     * @return a row for each, in their order
     */
    static List<Row> of(List<Result<FilterEntrant>> results) {
        FilterRows rows = new FilterRows(results);
        return results.stream().map(rows::row).toList();
    }

    private Row row(Result<FilterEntrant> result) {
        FilterEntrant entrant = result.entrant();
        FilterJob job = entrant.job();
        Quartiles rate = result.elementsPerSecond();
        double elements = entrant.elements();
        boolean filters = job != FilterJob.AXPY;
        boolean makesBytes = job.makesBytes();
        double bytes = result.bytes();
        return new Row(
                entrant.kernel(),
                entrant.elements(),
                entrant.shape().kept(),
                filters ? result.values() / elements : null,
                entrant.shape().source().label(),
                entrant.threads(),
                entrant.widthBits(),
                entrant.values() == null ? null : entrant.values().configName(),
                formats(result.formats()),
                entrant.compressor(),
                MS_PER_SECOND * elements / rate.median(),
                rate.median(),
                rate.low(),
                rate.high(),
                rate.median() / axpy,
                job.isWayBack() ? null : rate.median() / scalar,
                makesBytes ? Math.round(bytes) : null,
                makesBytes && result.values() > 0 ? Byte.SIZE * bytes / result.values() : null,
                makesBytes ? bytes / (elements * Float.BYTES) : null,
                makesBytes ? bytes / (elements * paperBytes) : null,
                filters ? rate.median() / (job.isWayBack() ? paperBack : paper) : null);
    }

    private Result<FilterEntrant> find(Predicate<FilterEntrant> which) {
        return results.stream()
                .filter(result -> which.test(result.entrant()))
                .findFirst()
                .orElseThrow();
    }

    private static double rate(Result<FilterEntrant> result) {
        return result.elementsPerSecond().median();
    }

    /** The format of all blocks, {@code mixed} if there were several, {@code null} if nobody told. */
    private static String formats(int bits) {
        if (bits == 0) {
            return null;
        }
        boolean one = Integer.bitCount(bits) == 1;
        return one
                ? BlockFormat.fromCode(Integer.numberOfTrailingZeros(bits))
                        .name()
                        .toLowerCase(Locale.ROOT)
                : "mixed";
    }
}
