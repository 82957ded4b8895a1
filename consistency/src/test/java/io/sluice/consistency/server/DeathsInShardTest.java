package io.sluice.consistency.server;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Drawn;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.Property;
import io.sluice.codecs.spi.Block;
import io.sluice.consistency.clock.ConsistencyRules;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.standard.UpdateRules;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.DenseFilter;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Workers die at random moments. The versions of the others still close, one for each round that they pushed, and each
 * broadcast is the sum of all parts that the server accepted.
 */
class DeathsInShardTest {
    private static final int ELEMENTS = 8;
    private static final int ROUNDS = 12;
    private static final int PATIENCE = 10_000;

    private final Kernels kernels = Kernels.preferred();
    private final DenseFilter filter = new DenseFilter(kernels);
    private final BlockAccumulator accumulator = new BlockAccumulator(kernels);

    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"bsp", "ssp:1", "ssp:3", "tap"})
    void survivorsCloseAllVersions(String rule) {
        Property.holds(200, random -> {
            try (Arena arena = Arena.ofConfined()) {
                new Play(arena, random, ConsistencyRules.named(rule), false).run(0.05);
            }
        });
    }

    /**
     * Under a rule that weighs, a slice is the mean of the pushes that the server has accepted: a worker that dies
     * within a round counts for the slices that it had pushed.
     */
    @Test
    void theWeightsOfARoundAreThoseOfItsAcceptedPushes() {
        Property.holds(200, random -> {
            try (Arena arena = Arena.ofConfined()) {
                new Play(arena, random, ConsistencyRules.named("bsp"), true).run(0.05);
            }
        });
    }

    /** Workers, a server that owns a table of theirs, and the sink of its finalised slices. */
    private final class Play implements RoundSink {
        private final SplittableRandom random;
        private final ConsistencyRule rule;
        private final int workers;
        private final int slices;
        private final SliceStore store;
        private final TableShard shard;
        private final MemorySegment zeros;

        /** By slice and round, the weighted sum. Workers push whole numbers, whose sums are exact in any order. */
        private final float[][][] accepted;

        private final float[][] out;

        private final boolean weighs;

        /** By slice and round, the sum of the weights. */
        private final int[][] weights;

        /** By worker, the open round and the slices that it has yet to push, followed by the round commit. */
        private final long[] round;

        private final int[] next;
        private final boolean[] dead;
        private final DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named());
        private final DataFrameEncoder encoder = new DataFrameEncoder(ELEMENTS);
        private final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);

        Play(Arena arena, SplittableRandom random, ConsistencyRule rule, boolean weighs) {
            this.random = random;
            this.rule = rule;
            this.workers = random.nextInt(2, 6);
            this.slices = random.nextInt(1, 5);
            TableSpec spec = new TableSpec(0, "t", slices, ELEMENTS, ELEMENTS);
            int[] owned = IntStream.range(0, slices).toArray();
            this.store = new SliceStore(spec, owned);
            int length = frame.capacity();
            ReorderBuffer early = ReorderBuffer.of(
                    (workers - 1L) * slices,
                    (long) random.nextInt(8) * length,
                    length,
                    ELEMENTS,
                    AcceptedCompressors.named());
            UpdateRule update = UpdateRules.named("mean;weighted");
            SumStage stage = weighs
                    ? new RuleStage.Terms(spec, owned, update, _ -> workers, 1).newStage(store, accumulator)
                    : new SumStage(store, accumulator);
            SliceSums sums = new SliceSums(stage, slices, workers, -1, rule.ordered(), early);
            this.shard = new TableShard(spec, new TablePart(owned, sums, this, null), rule, -1);
            this.zeros = arena.allocate(JAVA_FLOAT, ELEMENTS);
            this.accepted = new float[slices][ROUNDS + 1][ELEMENTS];
            this.out = new float[slices][ELEMENTS];
            this.weighs = weighs;
            this.weights = new int[slices][ROUNDS + 1];
            this.round = new long[workers];
            this.next = new int[workers];
            this.dead = new boolean[workers];
        }

        void run(double mortality) {
            int alive = workers;
            while (IntStream.range(0, workers).anyMatch(this::isBusy)) {
                int worker = random.nextInt(workers);
                if (isBusy(worker)) {
                    step(worker);
                    if (alive > 1 && random.nextDouble() < mortality) {
                        dead[worker] = true;
                        shard.excuse(worker);
                        alive--;
                    }
                }
                shard.work();
            }
            for (int i = 0; i < PATIENCE && shard.version() < ROUNDS; i++) {
                shard.work(); // the broadcast had to wait
            }
            assertEquals(ROUNDS, shard.version());
            for (int slice = 0; slice < slices; slice++) {
                assertArrayEquals(expected(slice), out[slice], "slice " + slice);
            }
        }

        private float[] expected(int slice) {
            float[] sum = new float[ELEMENTS];
            for (int at = 0; at <= ROUNDS; at++) {
                int divisor = weighs && at > 0 ? Math.max(1, weights[slice][at]) : 1;
                for (int i = 0; i < ELEMENTS; i++) {
                    sum[i] += accepted[slice][at][i] / divisor;
                }
            }
            return sum;
        }

        private boolean isBusy(int worker) {
            return !dead[worker] && round[worker] <= ROUNDS;
        }

        /** Pushes the next frame, if the worker may compute and the server takes it. */
        private void step(int worker) {
            long now = round[worker];
            if (now > 0 && shard.version() < rule.requiredVersion(now - 1)) {
                return;
            }
            assertTrue(now <= shard.latestRound());
            int slice = next[worker];
            if (slice == slices) {
                shard.acceptRoundCommit(worker, now);
                round[worker]++;
                next[worker] = 0;
            } else if (random.nextInt(4) == 0) {
                next[worker]++; // the worker pushes nothing for this slice
            } else if (shard.takes(worker, slice, now)) {
                push(worker, slice, now);
                next[worker]++;
            }
        }

        private void push(int worker, int slice, long now) {
            float[] part = new float[ELEMENTS];
            boolean isWeighed = weighs && now > 0;
            int weight = isWeighed ? random.nextInt(1, 100) : 1;
            weights[slice][(int) now] += weight;
            for (int i = 0; i < ELEMENTS; i++) {
                part[i] = random.nextInt(-100, 100);
                accepted[slice][(int) now][i] += weight * part[i];
            }
            Block block = frame.room(new Block());
            filter.filter(part, 0, zeros, 0, ELEMENTS, now, block);
            DataHeader header = new DataHeader().slice(slice).clock(now).tag(isWeighed ? weight : Frame.NO_TAG);
            int length = encoder.encode(frame, header, block, PayloadCompressor.never(), new FrameChecksum());
            assertNull(decoder.wrap(frame.buffer(), 0, length));
            shard.accept(worker, slice, decoder, frame.buffer(), 0, length);
        }

        @Override
        public boolean isReady(int slice) {
            return random.nextInt(3) > 0;
        }

        @Override
        public void finalise(int slice, long version) {
            float[] sum = store.segment()
                    .asSlice(store.offset(slice), ELEMENTS * Float.BYTES)
                    .toArray(JAVA_FLOAT);
            for (int i = 0; i < ELEMENTS; i++) {
                out[slice][i] += sum[i];
            }
            store.clear(slice);
        }

        @Override
        public void changed(int slice) {
            // The sum of the slice is broadcast with its version.
        }

        @Override
        public boolean closeRound(long version) {
            return random.nextInt(3) > 0;
        }

        @Override
        public boolean onPull(int worker, long version) {
            return false;
        }

        @Override
        public int work() {
            return 0;
        }

        @Override
        public float residualMaxAbs() {
            return 0;
        }
    }
}
