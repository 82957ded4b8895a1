package io.sluice.consistency.server;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The sum is bit-identical to one in worker order, whatever the order of arrival and the number of parts held. */
class SliceSumsTest {
    private static final int ELEMENTS = 24;
    private static final int FRAME_LENGTH = FrameBuffer.forDataFrames(ELEMENTS).capacity();

    private static final int ROUND_COMMIT = -1;

    private final Kernels kernels = Kernels.preferred();

    private record Arrival(long round, int slice, float[] values) {}

    /** Every worker sends some of the slices in an order of its own, then its round commit. */
    @Tag("slow")
    @Test
    void theOrderOfArrivalDoesNotMatter() {
        Property.holds(200, random -> {
            int slots = random.nextInt(6);
            Play play = play(random, slots);
            assertEquals(Math.min(slots, (play.workers - 1) * play.slices), play.capacity());
        });
    }

    @Test
    void noPartWaitsIfThereIsRoomForAll() {
        Property.holds(50, random -> {
            Play play = play(random, 1_000);
            assertEquals(0, play.deferred);
        });
    }

    /** The parts of an excused worker are added in turn, and no round waits for its other parts. */
    @Tag("slow")
    @Test
    void excusedWorkersKeepNoPlaceInTheOrder() {
        Property.holds(400, random -> play(random, random.nextInt(6), 0.1));
    }

    /** The part may have been held: then it is added together with the part of another worker. */
    @Test
    void aPartThatMakesASumNaNOrInfiniteIsRefusedByName() {
        float[] bad = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MAX_VALUE};
        Property.holds(100, random -> {
            try (Arena arena = Arena.ofConfined()) {
                Play play = new Play(arena, random, 1_000);
                int slice = random.nextInt(play.slices);
                int element = random.nextInt(ELEMENTS);
                int guilty = random.nextInt(1, play.workers);
                float value = bad[random.nextInt(bad.length)];
                for (int worker = play.workers - 1; worker > 0; worker--) {
                    float[] values = new float[ELEMENTS];
                    values[element] = worker == guilty ? value : 1;
                    play.push(worker, slice, 0, values);
                }
                float[] first = new float[ELEMENTS];
                first[element] = Float.MAX_VALUE == value ? value : 1;
                ClusterException refusal = assertThrows(ClusterException.class, () -> play.push(0, slice, 0, first));
                assertEquals(Failure.NOT_FINITE, refusal.failure());
                String sentence = "worker " + guilty + " pushed " + value + " for table t, slice " + slice + ", row "
                        + slice + ", column " + element + " in clock 0, which makes the sum " + (value + value)
                        + " (with the updates of workers 0";
                assertTrue(refusal.getMessage().startsWith(sentence), refusal.getMessage());
            }
        });
    }

    private Play play(SplittableRandom random, int slots) {
        return play(random, slots, 0);
    }

    private Play play(SplittableRandom random, int slots, double mortality) {
        try (Arena arena = Arena.ofConfined()) {
            Play play = new Play(arena, random, slots);
            play.run(4, mortality);
            return play;
        }
    }

    /** A table whose slices one server owns. */
    private final class Play {
        final int slices;
        final int workers;
        int deferred;
        private final SplittableRandom random;
        private final ReorderBuffer early;
        private final SliceStore store;
        private final SliceSums sums;
        private final float[][] expected;
        private final DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named("lz4"));
        private final DataFrameEncoder encoder = new DataFrameEncoder(ELEMENTS);
        private final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);
        private final FrameChecksum checksum = new FrameChecksum();
        private final PayloadCompressor compressor;

        Play(Arena arena, SplittableRandom random, int slots) {
            this.random = random;
            this.slices = random.nextInt(1, 6);
            this.workers = random.nextInt(2, 5);
            this.compressor = random.nextBoolean()
                    ? PayloadCompressor.never()
                    : PayloadCompressor.always(BlockCompressors.named("lz4"), SystemNanoClock.INSTANCE);
            this.early = ReorderBuffer.of(
                    (workers - 1L) * slices,
                    (long) slots * FRAME_LENGTH,
                    FRAME_LENGTH,
                    ELEMENTS,
                    AcceptedCompressors.named("lz4"));
            TableSpec spec = new TableSpec(0, "t", slices, ELEMENTS, ELEMENTS);
            this.store = new SliceStore(spec, IntStream.range(0, slices).toArray());
            this.sums =
                    new SliceSums(new SumStage(store, new BlockAccumulator(kernels)), slices, workers, -1, true, early);
            this.expected = new float[slices][ELEMENTS];
        }

        int capacity() {
            return early.capacity();
        }

        /**
         * A worker begins a round as soon as the one before is complete, which other workers' round commits may report
         * later. In each step a worker may die, except the last one.
         */
        void run(int rounds, double mortality) {
            int alive = workers;
            float[][][][] parts = new float[rounds][workers][slices][];
            List<List<Arrival>> logs = new ArrayList<>();
            for (int worker = 0; worker < workers; worker++) {
                List<Arrival> log = new ArrayList<>();
                for (int round = 0; round < rounds; round++) {
                    log.addAll(log(round, parts[round][worker]));
                }
                logs.add(log);
            }
            while (logs.stream().anyMatch(log -> !log.isEmpty())) {
                int worker = random.nextInt(workers);
                List<Arrival> log = logs.get(worker);
                if (!log.isEmpty() && arrives(worker, log.getFirst())) {
                    log.removeFirst();
                }
                if (alive > 1 && !log.isEmpty() && random.nextDouble() < mortality) {
                    log.stream()
                            .filter(arrival -> ROUND_COMMIT != arrival.slice())
                            .forEach(arrival -> parts[(int) arrival.round()][worker][arrival.slice()] = null);
                    log.clear();
                    sums.excuse(worker);
                    alive--;
                }
            }
            for (int slice = 0; slice < slices; slice++) {
                assertEquals(rounds - 1, sums.clocks().min(slice));
                for (float[][][] round : parts) {
                    addInOrder(round, slice);
                }
                assertArrayEquals(expected[slice], sum(slice), "slice " + slice);
            }
            assertEquals(early.capacity() > 0, early.hasRoom());
        }

        private void addInOrder(float[][][] round, int slice) {
            for (float[][] part : round) {
                for (int i = 0; null != part[slice] && i < ELEMENTS; i++) {
                    expected[slice][i] += part[slice][i];
                }
            }
        }

        private long version() {
            return IntStream.range(0, slices)
                    .mapToLong(slice -> sums.clocks().min(slice))
                    .min()
                    .orElseThrow();
        }

        /** The frames of a worker in a round, in an order of its own, the round commit last. */
        private List<Arrival> log(long round, float[][] part) {
            List<Arrival> log = new ArrayList<>();
            for (int slice = 0; slice < slices; slice++) {
                if (random.nextInt(4) > 0) {
                    part[slice] = new float[ELEMENTS];
                    for (int i = 0; i < ELEMENTS; i++) {
                        part[slice][i] = (float) random.nextGaussian(0, Math.exp(random.nextInt(12)));
                    }
                    log.add(new Arrival(round, slice, part[slice]));
                }
            }
            Collections.shuffle(log, new Random(random.nextLong()));
            log.add(new Arrival(round, ROUND_COMMIT, null));
            return log;
        }

        private boolean arrives(int worker, Arrival arrival) {
            long round = arrival.round();
            int slice = arrival.slice();
            if (round > version() + 1) {
                return false;
            }
            if (ROUND_COMMIT == slice) {
                IntStream.range(0, slices).forEach(position -> sums.closeRound(worker, position, round));
                return true;
            }
            boolean takes = sums.takes(worker, slice, round);
            assertTrue(takes || worker > 0, "worker 0 is always next");
            if (!takes) {
                deferred++;
                return false;
            }
            push(worker, slice, round, arrival.values());
            return true;
        }

        private void push(int worker, int slice, long round, float[] values) {
            Block block = frame.room(new Block());
            MemorySegment.copy(MemorySegment.ofArray(values), 0, block.segment(), block.offset(), 4 * ELEMENTS);
            block.set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, 4 * ELEMENTS);
            DataHeader header = new DataHeader().slice(slice).clock(round);
            int length = encoder.encode(frame, header, block, compressor, checksum);
            assertNull(decoder.wrap(frame.buffer(), 0, length));
            sums.add(worker, slice, decoder, frame.buffer(), 0, length);
        }

        private float[] sum(int slice) {
            return store.segment()
                    .asSlice(store.offset(slice), ELEMENTS * Float.BYTES)
                    .toArray(JAVA_FLOAT);
        }
    }
}
