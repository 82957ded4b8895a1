package io.sluice.perf.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.perf.experiment.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RecommendationsTest {
    /** A row for 100 values of 1,000 elements. */
    private static Row row(String format, String values, String compressor, int bytes, int nanos) {
        Map<String, Object> row = new HashMap<>();
        row.put("kernel", CodecSpec.ENCODE);
        row.put("kept", 0.1);
        row.put("format", format);
        row.put("values", values);
        row.put("compressor", compressor);
        row.put("bits_per_kept", 8.0 * bytes / 100);
        row.put("bytes_ratio_to_dense", bytes / 4_000.0);
        row.put("elements_per_second", 1_000 * 1e9 / nanos);
        row.put("decode_elements_per_second", 1_000 * 1e9 / nanos);
        return new Row(row);
    }

    private final List<Row> rows = List.of(
            row("bitmap", "f32", "none", 525, 1_000),
            row("delta", "f32-packed", "zstd", 375, 10_000),
            row("delta", "bf16", "none", 250, 2_000));

    @Test
    void nameTheTightestAndTheFastest() {
        assertEquals(
                List.of("0.1 kept: tightest is delta bf16 (20.0 bits a value kept); without loss delta f32-packed zstd"
                        + " (30.0 bits a value kept); fastest bitmap f32 (2000 us a million elements, both ways)"),
                Recommendations.of(rows, Map.of()));
    }

    @Test
    void weighTimeAgainstBytesOnALink() {
        List<String> sentences = Recommendations.of(rows, Codec.links("--link", "100mbit,100gbit"));
        // 100 mbit are 80 ns a byte: 375 bytes cost 30 us and 20 us to code, 525 bytes 42 us and 2 us.
        assertEquals(
                "0.1 kept, 100mbit: fastest is delta bf16 (24000 us a million elements: encode 2000, wire 20000,"
                        + " decode 2000); lossless, bitmap f32 (44000 us a million elements: encode 1000, wire 42000,"
                        + " decode 1000)",
                sentences.get(1));
        assertEquals(
                "0.1 kept, 100gbit: fastest is bitmap f32", sentences.get(2).substring(0, 40));
    }

    @Test
    void wantALinkThatCarriesSomething() {
        assertThrows(IllegalArgumentException.class, () -> Codec.links("--link", "0gbit"));
        assertThrows(IllegalArgumentException.class, () -> Codec.links("--link", "fast"));
    }
}
