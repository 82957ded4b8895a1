package io.sluice.perf.codecs;

import io.sluice.codecs.api.ValueType;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.report.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Recommended settings, from the rows of one density. */
final class Recommendations {
    private static final double MICROS = 1e6;
    private static final double MEGA = 1e6;

    private final List<Row> rows;

    private Recommendations(List<Row> rows) {
        this.rows = rows;
    }

    /**
     * Draws conclusions from the measurements in both directions.
     *
     * @param links bytes per second, by name
     */
    static List<String> of(List<Row> all, Map<String, Double> links) {
        Map<Double, List<Row>> shares = new LinkedHashMap<>();
        all.stream()
                .filter(row -> row.text("kernel").equals(CodecSpec.ENCODE) && row.has("decode_elements_per_second"))
                .forEach(row -> shares.computeIfAbsent(row.number("kept"), _ -> new ArrayList<>())
                        .add(row));
        List<String> sentences = new ArrayList<>();
        shares.forEach((kept, rows) -> sentences.addAll(new Recommendations(rows).of(TextTable.share(kept), links)));
        return sentences;
    }

    private List<String> of(String share, Map<String, Double> links) {
        List<String> sentences = new ArrayList<>();
        Row tightest = least(Recommendations::bytes, false);
        Row exact = least(Recommendations::bytes, true);
        Row fastest = least(row -> encode(row) + decode(row), false);
        sentences.add(String.format(
                "%s kept: tightest is %s (%s); without loss %s (%s); fastest %s (%.0f us a million elements, both"
                        + " ways)",
                share,
                Codec.name(tightest),
                bits(tightest),
                Codec.name(exact),
                bits(exact),
                Codec.name(fastest),
                MEGA * MICROS * (encode(fastest) + decode(fastest))));
        links.forEach((link, rate) -> {
            ToDoubleFunction<Row> seconds = row -> encode(row) + bytes(row) / rate + decode(row);
            sentences.add(String.format(
                    "%s kept, %s: fastest is %s; lossless, %s",
                    share, link, times(least(seconds, false), rate), times(least(seconds, true), rate)));
        });
        return sentences;
    }

    private Row least(ToDoubleFunction<Row> what, boolean lossless) {
        return rows.stream()
                .filter(row -> !lossless || isLossless(row))
                .min(Comparator.comparingDouble(what))
                .orElse(rows.getFirst());
    }

    /** Whether the receiver gets exactly the bits that passed the filter. */
    private static boolean isLossless(Row row) {
        return row.text("values").startsWith(ValueType.F32.configName());
    }

    /** Seconds to encode one element. */
    private static double encode(Row row) {
        return 1 / row.number("elements_per_second");
    }

    /** Seconds to decode one element. */
    private static double decode(Row row) {
        return 1 / row.number("decode_elements_per_second");
    }

    /** Bytes on the wire for each element. */
    private static double bytes(Row row) {
        return row.number("bytes_ratio_to_dense") * Float.BYTES;
    }

    private static String bits(Row row) {
        return row.has("bits_per_kept")
                ? String.format("%.1f bits a value kept", row.number("bits_per_kept"))
                : "nothing kept";
    }

    private static String times(Row row, double rate) {
        double wire = bytes(row) / rate;
        return String.format(
                "%s (%.0f us a million elements: encode %.0f, wire %.0f, decode %.0f)",
                Codec.name(row),
                MEGA * MICROS * (encode(row) + wire + decode(row)),
                MEGA * MICROS * encode(row),
                MEGA * MICROS * wire,
                MEGA * MICROS * decode(row));
    }
}
