package io.sluice.perf.codecs;

import io.sluice.perf.report.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What to choose, from the results of one race. */
final class Recommendations {
    private static final double MICROS = 1e6;
    private static final double MEGA = 1e6;

    private final List<CodecResult> results;

    private Recommendations(List<CodecResult> results) {
        this.results = results;
    }

    /**
     * Draws conclusions.
     *
     * @param kept share of the race
     * @param results of it
     * @param links to reckon with
     * @return sentences
     */
    static List<String> of(double kept, List<CodecResult> results, List<LinkSpeed> links) {
        Recommendations of = new Recommendations(results);
        List<String> sentences = new ArrayList<>();
        String share = TextTable.share(kept);
        CodecResult tightest = of.least(CodecResult::bytesPerElement, false);
        CodecResult exact = of.least(CodecResult::bytesPerElement, true);
        CodecResult fastest = of.least(result -> result.encodeSeconds() + result.decodeSeconds(), false);
        sentences.add(String.format(
                "%s kept: tightest is %s (%s); without loss %s (%s); fastest %s (%.0f us a million elements, both"
                        + " ways)",
                share,
                tightest.combination().configName(),
                bits(tightest),
                exact.combination().configName(),
                bits(exact),
                fastest.combination().configName(),
                MEGA * MICROS * (fastest.encodeSeconds() + fastest.decodeSeconds())));
        for (LinkSpeed link : links) {
            sentences.add(String.format(
                    "%s kept, %s: least time has %s; without loss %s",
                    share,
                    link.words(),
                    times(of.least(link::seconds, false), link),
                    times(of.least(link::seconds, true), link)));
        }
        return sentences;
    }

    private CodecResult least(ToDoubleFunction<CodecResult> what, boolean lossless) {
        return results.stream()
                .filter(result -> !lossless || result.combination().isLossless())
                .min(Comparator.comparingDouble(what))
                .orElseThrow();
    }

    private static String bits(CodecResult result) {
        Double bits = result.bitsPerKept();
        return bits == null ? "nothing kept" : String.format("%.1f bits a value kept", bits);
    }

    private static String times(CodecResult result, LinkSpeed link) {
        return String.format(
                "%s (%.0f us a million elements: encode %.0f, wire %.0f, decode %.0f)",
                result.combination().configName(),
                MEGA * MICROS * link.seconds(result),
                MEGA * MICROS * result.encodeSeconds(),
                MEGA * MICROS * link.wireSeconds(result),
                MEGA * MICROS * result.decodeSeconds());
    }
}
