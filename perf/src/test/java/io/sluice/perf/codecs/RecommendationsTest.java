package io.sluice.perf.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.ValueType;
import io.sluice.perf.race.Result;
import io.sluice.perf.race.Turn;
import io.sluice.perf.updates.Distribution;
import io.sluice.perf.updates.TableShape;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RecommendationsTest {
    private static final TableShape SHAPE = new TableShape(Distribution.SYNTHETIC, 1_000, 0.1, 1, 1);

    /** 100 values of 1,000 elements in so many bytes, encoded and decoded in so many nanoseconds each. */
    private static CodecResult result(BlockFormat format, ValueType values, String compressor, int bytes, int nanos) {
        Combination combination = new Combination(format, values, compressor);
        List<Turn> turns = List.of(new Turn(1, nanos, bytes, 100, 1));
        return new CodecResult(
                new Result<>(new CodecEntrant(combination, false, SHAPE), turns),
                new Result<>(new CodecEntrant(combination, true, SHAPE), turns));
    }

    private final List<CodecResult> results = List.of(
            result(BlockFormat.BITMAP, ValueType.F32, "none", 525, 1_000),
            result(BlockFormat.DELTA, ValueType.F32_PACKED, "zstd", 375, 10_000),
            result(BlockFormat.DELTA, ValueType.BF16, "none", 250, 2_000));

    @Test
    void nameTheTightestAndTheFastest() {
        assertEquals(
                List.of("0.1 kept: tightest is delta bf16 (20.0 bits a value kept); without loss delta f32-packed zstd"
                        + " (30.0 bits a value kept); fastest bitmap f32 (2000 us a million elements, both ways)"),
                Recommendations.of(0.1, results, List.of()));
    }

    @Test
    void weighTimeAgainstBytesOnALink() {
        List<String> sentences =
                Recommendations.of(0.1, results, List.of(LinkSpeed.parse("100mbit"), LinkSpeed.parse("100gbit")));
        // 100 mbit are 80 ns a byte: 375 bytes cost 30 us and 20 us to code, 525 bytes 42 us and 2 us.
        assertEquals(
                "0.1 kept, 100mbit: least time has delta bf16 (24000 us a million elements: encode 2000, wire 20000,"
                    + " decode 2000); without loss bitmap f32 (44000 us a million elements: encode 1000, wire 42000,"
                    + " decode 1000)",
                sentences.get(1));
        assertEquals(
                "0.1 kept, 100gbit: least time has bitmap f32", sentences.get(2).substring(0, 44));
    }

    @Test
    void wantALinkThatCarriesSomething() {
        assertThrows(IllegalArgumentException.class, () -> LinkSpeed.parse("0gbit"));
        assertThrows(IllegalArgumentException.class, () -> LinkSpeed.parse("fast"));
    }
}
