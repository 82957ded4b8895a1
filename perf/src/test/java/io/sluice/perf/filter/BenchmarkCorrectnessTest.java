package io.sluice.perf.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.Frame;
import io.sluice.codecs.ValueType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every benchmark of this package against a naive computation, over several passes of a small table. */
final class BenchmarkCorrectnessTest {
    private static final int MIB = 1;
    private static final int SLICE = AlternatingUpdates.SLICE;
    private static final int SLICES = AlternatingUpdates.slicesOf(MIB);
    private static final int PASSES = 3;

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.01, 0.1, 0.2, 0.5, 1})
    void theSameElementsPassInEveryPass(double kept) {
        AlternatingUpdates table = new AlternatingUpdates(MIB, kept);
        int[] first = new int[SLICES];
        long all = 0;
        for (int pass = 0; pass < PASSES; pass++) {
            for (int slice = 0; slice < SLICES; slice++) {
                table.next();
                assertEquals((long) slice * SLICE * Float.BYTES, table.offset());
                int passed = filterNaively(table, new float[SLICE]);
                first[slice] = pass == 0 ? passed : first[slice];
                assertEquals(first[slice], passed);
                all += passed;
            }
            if (pass % 2 == 1) {
                assertTrue(isZero(table.residual()), "the second sign must empty the residual");
            }
        }
        assertEquals(kept, all / (double) (PASSES * table.elements()), 0.005);
    }

    @ParameterizedTest
    @CsvSource({"0.0003,INDEX", "0.01,DELTA", "0.1,DELTA", "0.2,BITMAP", "0.5,BITMAP"})
    void filterDoesWhatANaiveLoopDoes(double kept, BlockFormat format) {
        for (KernelChoice kernels : KernelChoice.values()) {
            FilterBenchmark.Pusher pusher = new FilterBenchmark.Pusher();
            pusher.mib = MIB;
            pusher.kept = kept;
            pusher.values = ValueType.F32;
            pusher.kernels = kernels;
            pusher.setUp();
            AlternatingUpdates twin = new AlternatingUpdates(MIB, kept);
            float[] expected = new float[SLICE];
            for (int i = 0; i < PASSES * SLICES; i++) {
                twin.next();
                int count = filterNaively(twin, expected);
                assertEquals(count, new FilterBenchmark().filter(pusher));
                assertEquals(format, pusher.block.format());
                long values = Frame.DATA_LENGTH + format.indicesLength(pusher.block.address(), SLICE, count);
                assertValues(expected, count, pusher.frame.segment(), values);
            }
            assertEquals(-1, twin.residual().mismatch(pusher.table.residual()));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.2, 0.5})
    void branchingFilterDoesWhatANaiveLoopDoes(double kept) {
        YardstickBenchmark.Branching branching = new YardstickBenchmark.Branching();
        branching.mib = MIB;
        branching.kept = kept;
        branching.setUp();
        AlternatingUpdates twin = new AlternatingUpdates(MIB, kept);
        float[] expected = new float[SLICE];
        for (int i = 0; i < PASSES * SLICES; i++) {
            twin.next();
            int count = filterNaively(twin, expected);
            assertEquals(count, new YardstickBenchmark().branchingFilter(branching));
            assertArrayEquals(Arrays.copyOf(expected, count), Arrays.copyOf(branching.values, count));
            int bits = 0;
            for (int element = 0; element < SLICE; element++) {
                boolean set = (branching.bitmap[element / Long.SIZE] >>> element & 1) != 0;
                boolean passed = Math.abs(twin.update().get(JAVA_FLOAT, twin.offset() + 4L * element)) > 1;
                assertEquals(passed, set);
                bits += set ? 1 : 0;
            }
            assertEquals(count, bits);
        }
        assertArrayEquals(twin.residual().toArray(JAVA_FLOAT), branching.residual);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void plainPassAddsHalfTheUpdate(int passes) {
        YardstickBenchmark.Plain plain = new YardstickBenchmark.Plain();
        plain.mib = MIB;
        plain.setUp();
        for (int i = 0; i < passes * SLICES; i++) {
            new YardstickBenchmark().plainPass(plain);
        }
        AlternatingUpdates twin = new AlternatingUpdates(MIB, 0);
        twin.next();
        for (long i = 0; i < twin.elements(); i++) {
            float expected = passes % 2 == 0 ? 0.0f : 0.5f * twin.update().getAtIndex(JAVA_FLOAT, i);
            assertEquals(expected, plain.table.residual().getAtIndex(JAVA_FLOAT, i));
        }
    }

    @ParameterizedTest
    @CsvSource({"0.0003,INDEX", "0.01,DELTA", "0.1,DELTA", "0.2,BITMAP", "0.5,BITMAP", "1,DENSE"})
    void applyAddsWhatPassed(double kept, BlockFormat format) {
        for (KernelChoice kernels : KernelChoice.values()) {
            ApplyBenchmark.Receiver receiver = new ApplyBenchmark.Receiver();
            receiver.mib = MIB;
            receiver.kept = kept;
            receiver.values = ValueType.F32;
            receiver.kernels = kernels;
            receiver.setUp();
            for (int i = 0; i < PASSES * SLICES; i++) {
                int count = new ApplyBenchmark().decodeAndApply(receiver);
                assertTrue(count > 0);
                assertEquals(format, receiver.decoder.format());
            }
            AlternatingUpdates twin = new AlternatingUpdates(MIB, kept);
            twin.next();
            for (long i = 0; i < twin.elements(); i++) {
                float value = twin.update().getAtIndex(JAVA_FLOAT, i);
                float sum = Math.abs(value) > AlternatingUpdates.THRESHOLD ? value + value + value : 0.0f;
                assertEquals(sum, receiver.replica.getAtIndex(JAVA_FLOAT, i));
            }
        }
    }

    /** The filter by the book, over the current slice. Returns the number of values passed, and those in order. */
    private static int filterNaively(AlternatingUpdates table, float[] passed) {
        int count = 0;
        for (int i = 0; i < SLICE; i++) {
            long at = table.offset() + (long) i * Float.BYTES;
            float v = table.residual().get(JAVA_FLOAT, at) + table.update().get(JAVA_FLOAT, at);
            boolean passes = Math.abs(v) > AlternatingUpdates.THRESHOLD;
            if (passes) {
                passed[count++] = v;
            }
            table.residual().set(JAVA_FLOAT, at, passes ? 0.0f : v);
        }
        return count;
    }

    private static void assertValues(float[] expected, int count, MemorySegment block, long offset) {
        for (int i = 0; i < count; i++) {
            assertEquals(expected[i], block.get(JAVA_FLOAT_UNALIGNED, offset + (long) i * Float.BYTES));
        }
    }

    private static boolean isZero(MemorySegment floats) {
        for (long i = 0; i < floats.byteSize() / Float.BYTES; i++) {
            if (floats.getAtIndex(JAVA_FLOAT, i) != 0.0f) {
                return false;
            }
        }
        return true;
    }
}
