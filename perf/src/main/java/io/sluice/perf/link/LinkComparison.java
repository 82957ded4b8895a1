package io.sluice.perf.link;

import io.sluice.perf.race.Result;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One race: all stacks on one medium, with frames of one length.
 *
 * @param figures of every stack
 */
record LinkComparison(Map<LinkStack, LinkFigures> figures) {
    /** Takes the results of a race of all stacks. */
    static LinkComparison of(List<Result<LinkEntrant>> results) {
        Map<LinkStack, LinkFigures> figures = new EnumMap<>(LinkStack.class);
        results.forEach(result -> figures.put(result.entrant().trial().stack(), LinkFigures.of(result)));
        return new LinkComparison(figures);
    }

    List<LinkFigures> all() {
        return Arrays.stream(LinkStack.values()).map(figures::get).toList();
    }

    LinkFigures of(LinkStack stack) {
        return figures.get(stack);
    }

    LinkTrial trial() {
        return of(LinkStack.OURS).trial();
    }

    /** The main figure of a stack over that of another. */
    double ratio(LinkStack stack, LinkStack to) {
        return of(stack).main().median() / of(to).main().median();
    }

    /** The 99th percentile of a stack over that of raw, medians over the rounds; {@code null} for throughput. */
    Double p99Ratio(LinkStack stack) {
        Double raw = of(LinkStack.RAW).medianOfPercentileUs(99);
        return raw == null ? null : of(stack).medianOfPercentileUs(99) / raw;
    }

    LinkRow row() {
        LinkFigures ours = of(LinkStack.OURS);
        LinkFigures raw = of(LinkStack.RAW);
        LinkMode mode = trial().mode();
        return new LinkRow(
                mode.toString(),
                trial().medium().toString(),
                trial().frameLength(),
                mode.recordsLatencies() ? "us" : "MB/s",
                ours.main().median(),
                raw.main().median(),
                ratio(LinkStack.OURS, LinkStack.RAW),
                p99Ratio(LinkStack.OURS),
                ours.main().low(),
                ours.main().high(),
                raw.main().low(),
                raw.main().high(),
                of(LinkStack.RAW_CHECKED).main().median(),
                ratio(LinkStack.OURS, LinkStack.RAW_CHECKED),
                of(LinkStack.OURS_SEALING).main().median(),
                ours.percentileUs(50),
                ours.percentileUs(99),
                ours.percentileUs(99.9),
                raw.percentileUs(50),
                raw.percentileUs(99),
                raw.percentileUs(99.9),
                ours.framesPerSecond(),
                raw.framesPerSecond(),
                mode == LinkMode.OPEN_LOOP ? trial().rate() : null,
                ours.rateMet(),
                raw.rateMet(),
                ours.result().allocatedPerElement(),
                raw.result().allocatedPerElement());
    }
}
