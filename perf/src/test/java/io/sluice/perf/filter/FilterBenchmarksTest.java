package io.sluice.perf.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockCompressor;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.console.UnavailableException;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.codecs.ApplyBenchmark;
import io.sluice.perf.codecs.FrameLog;
import io.sluice.perf.report.Machine;
import io.sluice.perf.updates.Distribution;
import io.sluice.perf.updates.HeapTable;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every benchmark against a naive computation: they must all do the same job. */
final class FilterBenchmarksTest {
    /** Two slices, the second a short one. */
    private static final int ELEMENTS = TableShape.SLICE + 640;

    private static final int CLOCKS = 3;

    private static TableShape shape(double kept) {
        return TableShape.of(Distribution.GAUSSIAN, ELEMENTS, kept, 1);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.1, 1})
    void allFiltersKeepTheSameElements(double kept) {
        TableShape shape = shape(kept);
        for (FilterSpec spec : FilterSpec.all(shape, ValueType.choices(), List.of(), List.of("10gbit"), false, 512)) {
            boolean sendsValues = spec.job().makesBytes() && spec.job() != FilterJob.THRESHOLD_ENCODER;
            if (!sendsValues) {
                continue;
            }
            Tally tally = new Tally();
            Benchmark benchmark = spec.prepare(0);
            HeapTable twin = new HeapTable(shape, 0);
            long expected = 0;
            for (int clock = 0; clock < CLOCKS; clock++) {
                benchmark.pass(tally);
                expected += filterNaively(twin, shape.threshold());
            }
            // A DENSE block has a value for every element, kept or not.
            if (kept < 0.5 || spec.values() == null) {
                // A value that is rounded to less than the threshold stays once more, when its sign changes.
                boolean exact = spec.values() == null || spec.values().plain() == ValueType.F32;
                assertEquals(expected, tally.values(), exact ? 0 : 0.05 * expected, spec.name());
            }
            boolean isEmpty = expected == 0 && (spec.job() == FilterJob.FILTER || spec.job() == FilterJob.ADD_ENCODE);
            assertTrue(isEmpty ? tally.bytes() == 0 : tally.bytes() >= expected, spec.name());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 512})
    void theLoopInCDoesWhatTheKernelsDo(int widthBits) {
        assumeTrue(Machine.preferredVectorBits() >= widthBits, "this processor has no registers of that width");
        FilterSteps.Pass loop = assumeLoop(widthBits);
        long seed = Long.getLong("sluice.test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int trial = 0; trial < 100; trial++) {
            int elements = Long.SIZE * random.nextInt(1, 20);
            float[] update = new float[elements];
            float[] residual = new float[elements];
            for (int i = 0; i < elements; i++) {
                update[i] = random.nextInt(100) == 0 ? Float.NaN : (float) random.nextGaussian();
                residual[i] = random.nextInt(100) == 0 ? Float.POSITIVE_INFINITY : (float) random.nextGaussian();
            }
            float threshold = (float) random.nextDouble(3);
            assertArrayEquals(
                    passed(FilterSteps.pass(Kernels.scalar()), update, residual, threshold),
                    passed(loop, update, residual, threshold),
                    "replay with -Dsluice.test.seed=" + seed);
        }
    }

    private static FilterSteps.Pass assumeLoop(int widthBits) {
        try {
            return new CLoop(widthBits);
        } catch (UnavailableException e) {
            return abort(e.getMessage());
        }
    }

    /** Returns the result of a pass: the residual, the bitmap and the values. */
    private static int[] passed(FilterSteps.Pass pass, float[] update, float[] residual, float threshold) {
        try (Arena arena = Arena.ofConfined()) {
            int elements = update.length;
            MemorySegment from = arena.allocateFrom(JAVA_FLOAT, update);
            MemorySegment left = arena.allocateFrom(JAVA_FLOAT, residual);
            MemorySegment bitmap = arena.allocate(JAVA_LONG, elements / Long.SIZE);
            MemorySegment values = arena.allocate(JAVA_FLOAT, elements + Integer.SIZE);
            int count = pass.filter(
                    from.address(), left.address(), elements, threshold, bitmap.address(), values.address());
            return Stream.of(left, bitmap, values.asSlice(0, (long) count * Float.BYTES))
                    .flatMapToInt(column -> IntStream.of(column.toArray(JAVA_INT)))
                    .toArray();
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.2, 1})
    void thePapersPathSendsADenseArrayWithZeros(double kept) {
        TableShape shape = shape(kept);
        for (String name : List.of("snappy", "lz4", "zstd", Zlib.NAME)) {
            BlockCompressor compressor = Zlib.orNamed(name);
            FrameBuffer compressed = FilterSteps.roomFor(compressor);
            SliceBenchmark.Step path = FilterSteps.paper(compressor, shape.threshold(), compressed);
            HeapTable twin = new HeapTable(shape, 0);
            FrameBuffer dense = new FrameBuffer(TableShape.SLICE * Float.BYTES);
            try (OffHeapTable table = new OffHeapTable(shape, 0)) {
                for (int clock = 0; clock < CLOCKS; clock++) {
                    float[] sent = sentNaively(twin, shape.threshold());
                    new SliceBenchmark(shape, table, (update, residual, offset, elements, _) -> {
                                Tally tally = new Tally();
                                path.run(update, residual, offset, elements, tally);
                                compressor.decompress(
                                        compressed.buffer(), 0, (int) tally.bytes(), dense.buffer(), 0, 4 * elements);
                                for (int i = 0; i < elements; i++) {
                                    assertEquals(
                                            sent[(int) offset / Float.BYTES + i],
                                            dense.segment().getAtIndex(JAVA_FLOAT, i));
                                }
                            })
                            .pass(new Tally());
                    assertArrayEquals(twin.residual(), table.residual().toArray(JAVA_FLOAT));
                }
            }
        }
    }

    @Test
    void thePapersWayBackAddsWhatWasSent() {
        TableShape shape = shape(0.2);
        HeapTable twin = new HeapTable(shape, 0);
        sentNaively(twin, shape.threshold());
        sentNaively(twin, shape.threshold());
        float[] sent = sentNaively(twin, shape.threshold());
        Tally tally = new Tally();
        try (OffHeapTable table = new OffHeapTable(shape, 0)) {
            SliceBenchmark.Step step = FilterSteps.paperApply(shape, table, Zlib.orNamed("snappy"));
            table.residual().fill((byte) 0);
            SliceBenchmark receiver = new SliceBenchmark(shape, table, step);
            receiver.pass(tally);
            receiver.pass(tally);
            int count = 0;
            for (int i = 0; i < sent.length; i++) {
                assertEquals(2 * sent[i], table.residual().getAtIndex(JAVA_FLOAT, i));
                count += sent[i] == 0 ? 0 : 1;
            }
            assertEquals(2 * count, tally.values());
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.001, 0.1, 0.5, 1})
    void theLibrarysWayBackAddsWhatWasSent(double kept) {
        TableShape shape = shape(kept);
        HeapTable twin = new HeapTable(shape, 0);
        sentNaively(twin, shape.threshold());
        sentNaively(twin, shape.threshold());
        float[] sent = sentNaively(twin, shape.threshold());
        for (Kernels kernels : List.of(Kernels.vector(), Kernels.scalar())) {
            try (OffHeapTable table = new OffHeapTable(shape, 0)) {
                FrameLog frames = FilterSteps.frames(shape, table, new SliceFilter(kernels, ValueType.F32));
                table.residual().fill((byte) 0);
                ApplyBenchmark receiver = new ApplyBenchmark(shape, frames, kernels, table::residual);
                receiver.pass(new Tally());
                table.move();
                receiver.pass(new Tally());
                for (int i = 0; i < sent.length; i++) {
                    assertEquals(2 * sent[i], receiver.replica().getAtIndex(JAVA_FLOAT, i));
                }
            }
        }
    }

    /** Memory freed while a kernel still has its address may belong to another buffer when the kernel writes. */
    @Test
    void aStepKeepsTheRoomThatItsKernelWritesTo() {
        FrameBuffer room = new FrameBuffer(BlockFormat.maxLength(TableShape.SLICE));
        WeakReference<FrameBuffer> reachable = new WeakReference<>(room);
        SliceBenchmark.Step step = FilterSteps.bitmap(FilterSteps.pass(Kernels.scalar()), 1, room);
        room = null;
        System.gc();
        assertNotNull(reachable.get());
        try (OffHeapTable table = new OffHeapTable(shape(0.1), 0)) {
            new SliceBenchmark(shape(0.1), table, step).pass(new Tally());
        }
    }

    @Test
    void pairsAreIndicesAndValues() {
        TableShape shape = TableShape.of(Distribution.SYNTHETIC, 1_024, 0.1, 1);
        FrameBuffer pairs = new FrameBuffer(ArrayLoops.pairsLength());
        Tally tally = new Tally();
        new ArrayLoops(shape, 0, ArrayLoops.paperPairs(shape.threshold(), Zlib.orNamed("none"), pairs)).pass(tally);
        float[] sent = sentNaively(new HeapTable(shape, 0), shape.threshold());
        int count = (int) tally.values();
        assertEquals(8L * count, tally.bytes());
        int found = 0;
        for (int i = 0; i < sent.length; i++) {
            if (sent[i] != 0) {
                assertEquals(sent[i], pairs.segment().getAtIndex(JAVA_FLOAT, found));
                assertEquals(i, pairs.segment().get(JAVA_INT_UNALIGNED, 4L * (count + found)));
                found++;
            }
        }
        assertEquals(count, found);
    }

    @Test
    void theThresholdEncoderTakesTheThresholdFromWhatReachesIt() {
        float[] update = {0.5f, -2.5f, 1.0f, -0.5f, 3.0f, 0};
        float[] residual = {0, 0, 0, -0.5f, 0, 0.25f};
        int[] message = new int[6];
        Tally tally = new Tally();
        ArrayLoops.thresholdEncoder(1, message).run(update, residual, 0, 6, tally);
        assertEquals(4, tally.values());
        assertEquals(16 + 4 * Integer.BYTES, tally.bytes());
        assertArrayEquals(new int[] {-2, 3, -4, 5, 0, 0}, message);
        assertArrayEquals(new float[] {0.5f, -1.5f, 0, 0, 2, 0.25f}, residual);
    }

    @Test
    void thePlainPassAddsHalfTheUpdate() {
        try (OffHeapTable table = new OffHeapTable(shape(0.1), 0)) {
            MemorySegment update = table.next();
            VectorLoops.axpy(0.5f, update, table.residual(), 0, ELEMENTS);
            for (int i = 0; i < ELEMENTS; i++) {
                assertEquals(
                        0.5f * update.getAtIndex(JAVA_FLOAT, i),
                        table.residual().getAtIndex(JAVA_FLOAT, i));
            }
        }
    }

    /** The axpy loop leaves the residual as it is; the loop in C continues where the kernel ends, to the bit. */
    @Test
    void allPassesOfARowWorkOnOneTable() {
        int widthBits = Machine.preferredVectorBits();
        assumeLoop(widthBits);
        TableShape shape = shape(0.2);
        FilterSpec spec = FilterSpec.all(shape, List.of(), List.of(), List.of(), true, widthBits).stream()
                .filter(FilterSpec::cLoop)
                .findFirst()
                .orElseThrow();
        HeapTable twin = new HeapTable(shape, 0);
        try (FilterSpec.Compared row = (FilterSpec.Compared) spec.prepare(0)) {
            for (int round = 0; round < CLOCKS; round++) {
                row.move();
                assertFilters(row, twin, shape, row.table());
                row.others().getFirst().pass(new Tally());
                twin.next();
                assertArrayEquals(twin.residual(), row.table().residual().toArray(JAVA_FLOAT));
                assertFilters(row.others().getLast(), twin, shape, row.table());
            }
        }
    }

    private static void assertFilters(Benchmark pass, HeapTable twin, TableShape shape, OffHeapTable table) {
        Tally tally = new Tally();
        pass.pass(tally);
        assertEquals(filterNaively(twin, shape.threshold()), tally.values());
        assertArrayEquals(twin.residual(), table.residual().toArray(JAVA_FLOAT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixed:10", "density:0.1", "sidco:0.1", "topk:0.1"})
    void aPolicyKeepsItsShare(String policy) {
        TableShape shape = TableShape.of(Distribution.GAUSSIAN, 40L * TableShape.SLICE, 0.1, 1)
                .repeated();
        SliceBenchmark.Step step = FilterSteps.policy(shape.part(), Kernels.preferred(), ValueType.F32, policy);
        Tally tally = new Tally();
        try (OffHeapTable table = new OffHeapTable(shape, 0)) {
            SliceBenchmark benchmark = new SliceBenchmark(shape, table, step);
            for (int clock = 0; clock < 20; clock++) {
                benchmark.pass(new Tally());
            }
            for (int clock = 0; clock < 8; clock++) {
                benchmark.pass(tally);
            }
        }
        double kept = tally.values() / (8.0 * shape.elements());
        assertTrue(kept > 0.02 && kept < 0.4, policy + " keeps " + kept);
    }

    /**
     * Filters the next clock in the simplest way: returns what is sent, zero elsewhere, and leaves the rest in the
     * residual.
     */
    private static float[] sentNaively(HeapTable table, float threshold) {
        float[] update = table.next();
        float[] sent = new float[update.length];
        for (int i = 0; i < update.length; i++) {
            float v = table.residual()[i] + update[i];
            boolean passes = Math.abs(v) > threshold;
            sent[i] = passes ? v : 0;
            table.residual()[i] = passes ? 0 : v;
        }
        return sent;
    }

    private static int filterNaively(HeapTable table, float threshold) {
        int count = 0;
        for (float value : sentNaively(table, threshold)) {
            count += value == 0 ? 0 : 1;
        }
        return count;
    }
}
