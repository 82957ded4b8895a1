package io.sluice.perf.codecs;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.Distribution;
import io.sluice.perf.updates.TableShape;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way onto the wire and back, against the updates themselves. */
final class CombinationTest {
    /** Two slices, the second a short one. */
    private static final int ELEMENTS = TableShape.SLICE + 6_400;

    private static final List<String> COMPRESSORS = List.of("none", "zstd");

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.5, 1})
    void whatIsDecodedIsWhatWasKept(double kept) {
        TableShape shape = TableShape.of(Distribution.GAUSSIAN, ELEMENTS, kept, 1);
        for (Combination combination : Combination.all(shape, ValueType.choices(), COMPRESSORS)) {
            Tally encoded = new Tally();
            new EncodeBenchmark(shape, combination).pass(encoded);
            Tally decoded = new Tally();
            ApplyBenchmark receiver = (ApplyBenchmark) new CodecSpec(combination, CodecSpec.DECODE, shape)
                    .prepare()
                    .getFirst();
            receiver.pass(decoded);
            assertEquals(encoded.bytes(), decoded.bytes(), combination.configName());
            assertEquals(encoded.values(), decoded.values(), combination.configName());
            assertEquals(encoded.formats(), decoded.formats(), combination.configName());
            assertKept(shape, combination, receiver);
        }
    }

    /** The residual has settled after two clocks: what is kept of the third is what exceeds the threshold in it. */
    private static void assertKept(TableShape shape, Combination combination, ApplyBenchmark receiver) {
        float[] update = shape.update(0, 0);
        // LOG8 divides the octaves between the least and the greatest magnitude, here up to 20, by 252.
        double lossy = combination.values() == ValueType.LOG8 ? 20.0 / 252 : 1.0 / 256;
        double error = combination.values().plain() == ValueType.F32 ? 0 : lossy;
        for (int i = 0; i < update.length; i++) {
            float expected = Math.abs(update[i]) > shape.threshold() ? update[i] : 0;
            if (Math.abs(expected) * (1 - error) <= shape.threshold() && expected != 0 && error > 0) {
                // Rounded to less than the threshold, it is kept in every other clock only.
                continue;
            }
            float found = receiver.replica().getAtIndex(JAVA_FLOAT, i);
            assertEquals(expected, found, Math.abs(expected) * error, combination.configName() + " element " + i);
        }
    }

    @Test
    void thePapersPathIsAlwaysThere() {
        TableShape shape = TableShape.of(Distribution.SYNTHETIC, ELEMENTS, 0.2, 1);
        List<Combination> all = Combination.all(shape, List.of(ValueType.BF16), List.of("none"));
        assertTrue(all.contains(Combination.PAPER));
        assertEquals(1 + 5, all.size());
    }

    @Test
    void whatIsLongerThanAFrameMayBeIsLeftOut() {
        TableShape shape = TableShape.of(Distribution.SYNTHETIC, ELEMENTS, 0.9, 1);
        List<Combination> all = Combination.all(shape, List.of(ValueType.F32), List.of("none"));
        assertFalse(all.contains(new Combination(BlockFormat.INDEX, ValueType.F32, "none")));
        assertTrue(all.contains(new Combination(BlockFormat.BITMAP, ValueType.F32, "none")));
    }
}
