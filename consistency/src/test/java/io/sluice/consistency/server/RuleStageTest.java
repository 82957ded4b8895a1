package io.sluice.consistency.server;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.standard.UpdateRules;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules at the sum, from frames: the log of pushes replayed in a plain loop gives the same bits. */
class RuleStageTest {
    private static final int COLUMNS = 24;
    private static final TableSpec SPEC = new TableSpec(0, "t", 3, COLUMNS, COLUMNS);
    private static final int[] OWNED = {0, 2};
    private static final float RATE = 0.3f;

    private final BlockAccumulator accumulator = new BlockAccumulator(Kernels.preferred());
    private final FrameBuffer frame = FrameBuffer.forDataFrames(COLUMNS);
    private final DataFrameEncoder encoder = new DataFrameEncoder(COLUMNS);
    private final DataFrameDecoder decoder = new DataFrameDecoder(COLUMNS, AcceptedCompressors.named());
    private final SliceStore sums = new SliceStore(SPEC, OWNED);

    private record Push(int version, int basis, float[] values) {}

    private SumStage stage(UpdateRule rule, int versions) {
        return new RuleStage.Terms(SPEC, OWNED, rule, _ -> 4, versions).newStage(sums, accumulator);
    }

    private DataFrameDecoder push(int slice, long clock, long tag, float[] values) {
        Block block = frame.room(new Block());
        MemorySegment.copy(MemorySegment.ofArray(values), 0, block.segment(), block.offset(), 4L * COLUMNS);
        block.set(BlockFormat.DENSE, ValueType.F32, COLUMNS, COLUMNS, 4 * COLUMNS);
        return framed(block, slice, clock, tag);
    }

    /** A push whose values the filter has kept. */
    private DataFrameDecoder empty(int slice, long clock, long tag) {
        return framed(frame.room(new Block()).set(BlockFormat.EMPTY, ValueType.F32, COLUMNS, 0, 0), slice, clock, tag);
    }

    private DataFrameDecoder framed(Block block, int slice, long clock, long tag) {
        DataHeader header = new DataHeader().slice(OWNED[slice]).clock(clock).tag(tag);
        int length = encoder.encode(frame, header, block, PayloadCompressor.never(), new FrameChecksum());
        assertNull(decoder.wrap(frame.buffer(), 0, length));
        return decoder;
    }

    private float[] sum(int slice) {
        return sums.parts()[slice].toArray(JAVA_FLOAT);
    }

    private static float[] values(SplittableRandom random) {
        float[] values = new float[COLUMNS];
        for (int i = 0; i < COLUMNS; i++) {
            values[i] =
                    random.nextInt(3) == 0 ? 0 : (float) Math.scalb(random.nextDouble(-1, 1), random.nextInt(-8, 4));
        }
        return values;
    }

    /**
     * Under SSP pushes come in any order and were computed on any version that the bound allows. The gradients that a
     * push had not seen are found in the log: all those that arrived after its basis was finalised.
     */
    @Test
    void adaRevisionIsAPlainLoopOverTheLog() {
        Property.holds(50, random -> {
            int staleness = random.nextInt(0, 4);
            SumStage stage = stage(UpdateRules.named("adarevision:" + RATE), staleness + 1);
            sums.clear(0);
            sums.clear(1);
            List<List<Push>> logs = List.of(new ArrayList<>(), new ArrayList<>());
            int[] version = new int[2];
            stage.add(0, push(0, 0, Frame.NO_TAG, new float[COLUMNS]));
            stage.finish(0, 0);
            stage.finish(1, 0);
            for (int step = 0; step < 60; step++) {
                int slice = random.nextInt(2);
                if (random.nextInt(4) == 0) {
                    stage.finish(slice, ++version[slice]);
                    continue;
                }
                int basis = random.nextInt(Math.max(0, version[slice] - staleness), version[slice] + 1);
                Push push = new Push(version[slice], basis, values(random));
                DataFrameDecoder sent = push(slice, version[slice] + 1L, basis, push.values());
                assertNull(stage.objection(slice, sent));
                stage.add(slice, sent);
                logs.get(slice).add(push);
            }
            for (int slice = 0; slice < 2; slice++) {
                assertArrayEquals(replayed(logs.get(slice)), sum(slice), "slice " + slice);
            }
        });
    }

    /** McMahan and Streeter's algorithm 3, with the minus signs of a gradient g = -push. */
    private static float[] replayed(List<Push> log) {
        float[] parameters = new float[COLUMNS];
        for (int i = 0; i < COLUMNS; i++) {
            float z = 0;
            float largest = 0;
            for (int n = 0; n < log.size(); n++) {
                float g = -log.get(n).values()[i];
                float all = 0;
                float known = 0;
                for (Push before : log.subList(0, n)) {
                    all += -before.values()[i];
                    known = before.version() < log.get(n).basis() ? all : known;
                }
                float backlog = all - known;
                float etaOld = RATE / (float) Math.sqrt(1 + largest);
                z += g * (g + 2 * backlog);
                largest = Math.max(largest, z);
                float eta = RATE / (float) Math.sqrt(1 + largest);
                parameters[i] += -eta * g + (etaOld - eta) * backlog;
            }
        }
        return parameters;
    }

    @ParameterizedTest
    @CsvSource({
        "5, 2, 'version 2, expected 3 to 4'",
        "5, 5, 'version 5, expected 3 to 4'",
        "5, -1, 'no version, expected 3 to 4'",
        "4, 4, 'version 4, expected 3 to 3'",
        "6, 5, 'version 5, expected 3 to 4'"
    })
    void aBasisOutOfBoundsIsNamed(long clock, long basis, String words) {
        SumStage stage = stage(UpdateRules.named("adarevision:1"), 2);
        stage.finish(0, 3);
        stage.finish(0, 4);
        String objection = stage.objection(0, push(0, clock, basis, new float[COLUMNS]));
        assertEquals("states that slice 0 in clock " + clock + " was computed on " + words, objection);
    }

    /** The weighted means of some rounds, in doubles, and a bound of what f32 rounds. */
    private static final class Means {
        private final double[] sum = new double[COLUMNS];
        private final double[] bound = new double[COLUMNS];
        private final double[] weighted = new double[COLUMNS];
        private final double[] magnitude = new double[COLUMNS];
        private long weight;

        void push(float[] values, int w) {
            for (int i = 0; i < COLUMNS; i++) {
                weighted[i] += (double) w * values[i];
                magnitude[i] += (double) w * Math.abs(values[i]);
            }
            weight += w;
        }

        void finish() {
            for (int i = 0; i < COLUMNS && weight > 0; i++) {
                sum[i] += weighted[i] / weight;
                bound[i] += magnitude[i] / weight;
            }
            Arrays.fill(weighted, 0);
            Arrays.fill(magnitude, 0);
            weight = 0;
        }

        void require(float[] found) {
            for (int i = 0; i < COLUMNS; i++) {
                assertEquals(sum[i], found[i], 32 * bound[i] / (1 << 24), "element " + i);
            }
        }
    }

    /** Weights cover all that a push may have. A worker whose filter withholds all values of the slice counts, too. */
    @Test
    void theWeightedMeanIsAPlainLoop() {
        Property.holds(100, random -> {
            SumStage stage = stage(UpdateRules.named("mean;weighted"), 1);
            sums.clear(0);
            Means expected = new Means();
            for (int round = 1; round <= 4; round++) {
                for (int worker = random.nextInt(5); worker > 0; worker--) {
                    int weight = 1 + (random.nextInt() >>> random.nextInt(1, 32)) % Integer.MAX_VALUE;
                    boolean isEmpty = random.nextInt(4) == 0;
                    float[] values = isEmpty ? new float[COLUMNS] : values(random);
                    DataFrameDecoder push = isEmpty ? empty(0, round, weight) : push(0, round, weight, values);
                    assertNull(stage.objection(0, push));
                    stage.add(0, push);
                    expected.push(values, weight);
                }
                stage.finish(0, round);
                expected.finish();
            }
            expected.require(sum(0));
        });
    }

    /** Weights and their sums are powers of two and values have few bits, so that no operation rounds. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "4", "1,1", "1,1,2", "8,2,2,4", "1,2,1,4,8"})
    void powersOfTwoAreExact(String weights) {
        int[] all =
                Arrays.stream(weights.split(",")).mapToInt(Integer::parseInt).toArray();
        Property.holds(20, random -> {
            SumStage stage = stage(UpdateRules.named("mean;weighted"), 1);
            sums.clear(1);
            Means expected = new Means();
            for (int round = 1; round <= 4; round++) {
                for (int weight : all) {
                    float[] values = new float[COLUMNS];
                    for (int i = 0; i < COLUMNS; i++) {
                        values[i] = random.nextInt(-(1 << 14), 1 << 14) / 256f;
                    }
                    stage.add(1, push(1, round, weight, values));
                    expected.push(values, weight);
                }
                stage.finish(1, round);
                expected.finish();
            }
            float[] found = sum(1);
            for (int i = 0; i < COLUMNS; i++) {
                assertEquals(expected.sum[i], found[i], 0.0);
            }
        });
    }

    @Test
    void equalWeightsMakeTheMean() {
        Property.holds(50, random -> {
            int weight = random.nextInt(1, 1_000_000);
            SumStage weighted = stage(UpdateRules.named("mean;weighted"), 1);
            SumStage mean = stage(UpdateRules.named("mean"), 1);
            sums.clear(0);
            sums.clear(1);
            Means bounds = new Means();
            for (int worker = 0; worker < 4; worker++) {
                float[] values = values(random);
                weighted.add(0, push(0, 1, weight, values));
                mean.add(1, push(1, 1, Frame.NO_TAG, values));
                bounds.push(values, 1);
            }
            weighted.finish(0, 1);
            mean.finish(1, 1);
            bounds.finish();
            for (int i = 0; i < COLUMNS; i++) {
                assertEquals(sum(1)[i], sum(0)[i], 32 * bounds.bound[i] / (1 << 24));
            }
        });
    }

    /** A round in which no worker pushes the slice leaves its parameters and its momentum as they are. */
    @ParameterizedTest
    @ValueSource(strings = {"mean;weighted", "momentum:0.5,0.5;outer;weighted", "nesterov:0.5,0.5;outer;weighted"})
    void aRoundWithoutPushesChangesNothing(String rule) {
        float[][] found = new float[2][];
        for (int gap = 0; gap < 2; gap++) {
            SplittableRandom random = new SplittableRandom(11);
            SumStage stage = stage(UpdateRules.named(rule), 1);
            sums.clear(0);
            for (int round = 1; round <= 3; round++) {
                stage.add(0, push(0, round * (1L + gap), 3, values(random)));
                stage.add(0, push(0, round * (1L + gap), 5, values(random)));
                stage.finish(0, round * (1L + gap));
                if (gap > 0) {
                    stage.finish(0, round * 2L + 1);
                }
            }
            found[gap] = sum(0);
        }
        assertArrayEquals(found[0], found[1]);
    }

    @ParameterizedTest
    @CsvSource({
        "4, -1, 'in clock 4 no weight, expected 1 to 2147483647'",
        "4, 0, 'in clock 4 the weight 0, expected 1 to 2147483647'",
        "4, -2, 'in clock 4 the weight -2, expected 1 to 2147483647'",
        "4, 2147483648, 'in clock 4 the weight 2147483648, expected 1 to 2147483647'",
        "0, 1, 'in clock 0 the weight 1, expected none'",
    })
    void weightOutOfBoundsIsReported(long clock, long weight, String words) {
        SumStage stage = stage(UpdateRules.named("mean;weighted"), 1);
        String objection = stage.objection(0, push(0, clock, weight, new float[COLUMNS]));
        assertEquals("gives slice 0 " + words, objection);
    }

    @Test
    void otherRulesExpectNoTag() {
        for (String rule : List.of("mean", "adagrad:1", "adam:1")) {
            SumStage stage = stage(UpdateRules.named(rule), 1);
            assertNull(stage.objection(0, push(0, 4, Frame.NO_TAG, new float[COLUMNS])));
            assertEquals(
                    "tags slice 0 in clock 4 with 3, expected no tag with this update rule",
                    stage.objection(0, push(0, 4, 3, new float[COLUMNS])),
                    rule);
        }
        assertNotNull(new SumStage(sums, accumulator).objection(0, push(0, 4, 3, new float[COLUMNS])));
    }

    /** The state of a slice is copied, as a snapshot or a move copies it, into a stage that has seen nothing. */
    @ParameterizedTest
    @CsvSource({
        "adagrad:0.3",
        "adarevision:0.3",
        "'momentum:0.3,0.8'",
        "'momentum:0.3,0.8;outer;weighted'",
        "'adam:0.3,0.9,0.99'"
    })
    void continuesFromCopiedState(String name) {
        Property.holds(20, random -> {
            UpdateRule rule = UpdateRules.named(name);
            SumStage first = stage(rule, 1);
            List<float[]> pushes = new ArrayList<>();
            for (int n = 0; n < 12; n++) {
                pushes.add(values(random));
            }
            sums.clear(0);
            rounds(first, rule, pushes, 1, 4);
            float[] expected = sum(0);
            sums.clear(0);
            SumStage begun = stage(rule, 1);
            rounds(begun, rule, pushes, 1, 2);
            SumStage continued = stage(rule, 1);
            assertEquals(RuleStage.statesOf(rule), begun.states().size());
            for (int state = 0; state < begun.states().size(); state++) {
                continued.states().get(state).copyFrom(0, begun.states().get(state), 0);
            }
            rounds(continued, rule, pushes, 3, 4);
            assertArrayEquals(expected, sum(0));
        });
    }

    /** Three pushes in each round. */
    private void rounds(SumStage stage, UpdateRule rule, List<float[]> pushes, int first, int last) {
        for (int round = first; round <= last; round++) {
            for (float[] values : pushes.subList(3 * round - 3, 3 * round)) {
                stage.add(0, push(0, round, tag(rule, round), values));
            }
            stage.finish(0, round);
        }
    }

    private static long tag(UpdateRule rule, long round) {
        return rule.weighs() ? round : rule.revises() ? round - 1 : Frame.NO_TAG;
    }

    @Test
    void theFirstValuesPassAsTheyAre() {
        float[] values = values(new SplittableRandom(3));
        for (String rule : List.of("mean", "mean;weighted", "adagrad:1", "adarevision:1", "nesterov:1", "adam:1")) {
            SumStage stage = stage(UpdateRules.named(rule), 1);
            sums.clear(1);
            stage.add(1, push(1, 0, Frame.NO_TAG, values));
            stage.finish(1, 0);
            assertArrayEquals(values, sum(1), rule);
        }
    }

    @Test
    void aChangeThatIsNotFiniteNamesTheParameter() {
        float[] values = new float[COLUMNS];
        values[5] = 2;
        UpdateRule broken = slice ->
                slice.pushed().setAtIndex(JAVA_FLOAT, 5, 1 / (slice.pushed().getAtIndex(JAVA_FLOAT, 5) - 2));
        SumStage stage = stage(broken, 1);
        stage.add(1, push(1, 7, Frame.NO_TAG, values));
        ClusterException refused = assertThrows(ClusterException.class, () -> stage.finish(1, 7));
        assertEquals(Failure.NOT_FINITE, refused.failure());
        assertEquals(
                "the update rule makes the change Infinity for table t, slice 2, row 2, column 5 in clock 7, with"
                        + " which the sum is Infinity, expected finite numbers",
                refused.getMessage());
    }

    /** A step of 0 would freeze the parameter for ever without an error. */
    @ParameterizedTest
    @CsvSource({"adagrad:1", "adarevision:1", "adam:1"})
    void aStateThatOverflowsEndsTheJob(String name) {
        UpdateRule rule = UpdateRules.named(name);
        SumStage stage = stage(rule, 1);
        float[] values = new float[COLUMNS];
        values[7] = 1e21f;
        DataFrameDecoder push = push(0, 1, tag(rule, 1), values);
        ClusterException refused = assertThrows(ClusterException.class, () -> {
            stage.add(0, push);
            stage.finish(0, 1);
        });
        assertEquals(Failure.NOT_FINITE, refused.failure());
    }

    @Test
    void whatAWorkerHasNotSeenIncludesItsOwnPushes() {
        SumStage stage = stage(UpdateRules.named("adarevision:1"), 2);
        sums.clear(0);
        stage.finish(0, 0);
        float[] values = new float[COLUMNS];
        values[0] = 1;
        stage.add(0, push(0, 1, 0, values));
        float first = sum(0)[0];
        stage.add(0, push(0, 2, 0, values));
        float z = 1 + 1 * (1 + 2 * 1);
        float before = 1 / (float) Math.sqrt(2);
        float after = 1 / (float) Math.sqrt(1 + z);
        assertEquals(first + (after - (before - after)), sum(0)[0]);
    }
}
