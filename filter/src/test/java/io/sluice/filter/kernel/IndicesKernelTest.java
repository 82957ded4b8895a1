package io.sluice.filter.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.BlockValidator;
import io.sluice.codecs.Property;
import io.sluice.codecs.RiceDeltas;
import io.sluice.codecs.RunBoundaries;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.Floats;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Conversions of index columns: twins against each other and against conversions made the plain way. */
class IndicesKernelTest {
    private static final int MAX = BlockFormat.MAX_ELEMENTS;

    private final IndicesKernel vector = Kernels.vector().indices();
    private final IndicesKernel scalar = Kernels.scalar().indices();

    @Test
    void bitsBecomeIndicesAndDeltasAndBack() {
        Property.holds(600, random -> check(Indices.random(random, random.nextInt(1, 4000))));
    }

    @Test
    void theLongestSlice() {
        SplittableRandom random = new SplittableRandom(5);
        check(Indices.random(random, MAX));
        boolean[] all = new boolean[MAX];
        java.util.Arrays.fill(all, true);
        check(all);
        boolean[] ends = new boolean[MAX];
        for (int i = 0; i < 40; i++) {
            ends[MAX - 1 - i] = true;
        }
        check(ends);
        ends[0] = true;
        check(ends);
        boolean[] last = new boolean[MAX];
        last[MAX - 1] = true;
        check(last);
    }

    private void check(boolean[] present) {
        int count = Indices.count(present);
        MemorySegment bitmap = Indices.bitmap(present);
        MemorySegment indices = Indices.indices(present);
        MemorySegment deltas = Indices.deltas(present);
        MemorySegment columns = null;
        MemorySegment runs = null;
        for (IndicesKernel kernel : new IndicesKernel[] {vector, scalar}) {
            GuardedRoom listed = new GuardedRoom(2L * count + 2L * IndicesKernel.SLACK, 2);
            long first = listed.address() + IndicesKernel.SLACK;
            kernel.indices(bitmap.address(), present.length, count, first);
            listed.assertUntouchedAround();
            assertEquals(-1, indices.mismatch(listed.inside().asSlice(IndicesKernel.SLACK, 2L * count)), "indices");

            if (count == 0) {
                continue;
            }
            GuardedRoom packed = new GuardedRoom(present.length / 4 + 2L * count + 24, 0);
            int length = kernel.packDeltas(first, count, present.length, packed.address());
            packed.assertUntouchedAround();
            MemorySegment column = packed.inside().asSlice(0, length);
            assertEquals(length, RiceDeltas.length(column.address(), count));
            assertEquals(-1, columns == null ? -1 : columns.mismatch(column), "twins pack differently");
            columns = column;
            assertSound(BlockFormat.DELTA, column, present.length, count);

            GuardedRoom unpacked = new GuardedRoom(2L * count + 2L * IndicesKernel.SLACK, 2);
            kernel.unpackDeltas(column.address(), count, unpacked.address() + IndicesKernel.SLACK);
            unpacked.assertUntouchedAround();
            assertEquals(-1, deltas.mismatch(unpacked.inside().asSlice(IndicesKernel.SLACK, 2L * count)), "deltas");
            MemorySegment packedRuns = checkRuns(kernel, present, bitmap, count);
            assertEquals(-1, runs == null ? -1 : runs.mismatch(packedRuns), "twins pack runs differently");
            runs = packedRuns;
        }
        checkExpand(present, bitmap, count);
    }

    private static MemorySegment checkRuns(IndicesKernel kernel, boolean[] present, MemorySegment bitmap, int count) {
        MemorySegment expected = Indices.boundaries(present);
        int boundaries = kernel.boundaries(bitmap.address(), present.length, present.length);
        assertEquals(expected.byteSize() / 2, boundaries);
        assertEquals(boundaries, kernel.boundaries(bitmap.address(), present.length, boundaries));
        assertTrue(kernel.boundaries(bitmap.address(), present.length, boundaries - 1) >= boundaries);
        assertTrue(kernel.boundaries(bitmap.address(), present.length, boundaries / 3) > boundaries / 3);
        GuardedRoom scratch = new GuardedRoom(2L * boundaries + 2L * IndicesKernel.SLACK, 2);
        GuardedRoom packed = new GuardedRoom(present.length / 4 + 2L * boundaries + 28, 0);
        int length = kernel.packRuns(
                bitmap.address(),
                present.length,
                boundaries,
                scratch.address() + IndicesKernel.SLACK,
                packed.address());
        scratch.assertUntouchedAround();
        packed.assertUntouchedAround();
        MemorySegment column = packed.inside().asSlice(0, length);
        assertEquals(boundaries, RunBoundaries.count(column.address()));
        assertSound(BlockFormat.RUNS, column, present.length, count);
        GuardedRoom unpacked = new GuardedRoom(2L * boundaries + 2L * IndicesKernel.SLACK, 2);
        long deltas = unpacked.address() + IndicesKernel.SLACK;
        kernel.unpackDeltas(column.address() + RunBoundaries.HEADER_LENGTH, boundaries, deltas);
        unpacked.assertUntouchedAround();
        assertEquals(
                -1, expected.mismatch(unpacked.inside().asSlice(IndicesKernel.SLACK, 2L * boundaries)), "boundaries");
        return column;
    }

    /** Checks a column with the validator of the codecs, which was written independently of the kernels. */
    private static void assertSound(BlockFormat format, MemorySegment column, int elements, int count) {
        MemorySegment block = Floats.room(column.byteSize() + 4L * count, 0);
        block.asSlice(0, column.byteSize()).copyFrom(column);
        int indicesLength = BlockValidator.validate(
                block.address(), (int) block.byteSize(), format, ValueType.F32, elements, count);
        assertEquals(column.byteSize(), indicesLength);
    }

    private void checkExpand(boolean[] present, MemorySegment bitmap, int count) {
        MemorySegment values = Floats.room(4L * count, 0);
        Floats.fillWithSpecials(new SplittableRandom(count), values);
        MemorySegment expected = Indices.spread(present, values);
        for (IndicesKernel kernel : new IndicesKernel[] {vector, scalar}) {
            int missing = present.length - count;
            GuardedRoom room = new GuardedRoom(4L * (present.length + missing), 0);
            MemorySegment compact =
                    room.inside().asSlice(4L * missing, 4L * count).copyFrom(values);
            kernel.expand(bitmap.address(), compact.address(), count, present.length, room.address());
            room.assertUntouchedAround();
            assertEquals(-1, expected.mismatch(room.inside().asSlice(0, expected.byteSize())), "spread");
        }
    }
}
