package io.sluice.filter.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.sluice.codecs.Frame;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.RiceDeltas;
import io.sluice.codecs.RunBoundaries;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.kernel.IndicesKernel;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.ValuesKernel;
import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * One table of one node in miniature: the slices of its residual, its filter, and its output, checked element by
 * element. As a worker it filters updates slice by slice; as a server it sums them into the residual and encodes slices
 * in any order.
 */
final class TableRig {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT;

    final UpdateFilter filter;
    final int elements;
    private final int sliceElements;
    private final boolean server;
    private final Kernels kernels = Kernels.preferred();
    private final MemorySegment residual;
    private final Block block = new Block();
    private final MemorySegment room;
    private final MemorySegment deltas =
            off(BlockFormat.MAX_ELEMENTS * 2L + 2L * IndicesKernel.SLACK).asSlice(IndicesKernel.SLACK);
    private final MemorySegment unpacked;
    private final MemorySegment emitted;
    private final float[] sums;
    private int digest;
    private long kept;
    private long bytes;

    TableRig(String spec, int elements, int sliceElements, boolean server) {
        this(
                spec,
                elements,
                sliceElements,
                server,
                FilterSite.NodeTraffic.ofFrames(elements),
                ConstantFeedback.UNWATCHED);
    }

    TableRig(
            String spec,
            int elements,
            int sliceElements,
            boolean server,
            FilterSite.NodeTraffic node,
            NetworkFeedback feedback) {
        this.elements = elements;
        this.sliceElements = sliceElements;
        this.server = server;
        long span = offset(slices() - 1) / Float.BYTES + length(slices() - 1);
        this.filter = FilterPolicies.named(spec)
                .create(new TableSite(kernels, ValueType.F32, 0, elements, span, sliceElements, 0, node, feedback));
        this.residual = off(span * Float.BYTES);
        this.room = off(BlockFormat.maxLength(sliceElements));
        this.unpacked = off((long) sliceElements * Float.BYTES + ValuesKernel.SLACK);
        this.emitted = off((long) sliceElements * Float.BYTES);
        this.sums = new float[sliceElements];
    }

    private static MemorySegment off(long bytes) {
        return OffHeap.allocate(bytes);
    }

    int slices() {
        return (elements + sliceElements - 1) / sliceElements;
    }

    private int length(int slice) {
        return Math.min(sliceElements, elements - slice * sliceElements);
    }

    /** Servers align each slice to a cache line, workers store slices contiguously. */
    private long offset(int slice) {
        long length = (long) sliceElements * Float.BYTES;
        return slice * (server ? (length + 63) & -64 : length);
    }

    /** One clock, in the order that chance gives a server. */
    void clock(long clock, float[] update, SplittableRandom order) {
        kept = 0;
        bytes = 0;
        int[] slices = new int[slices()];
        for (int i = 0; i < slices.length; i++) {
            int other = server ? order.nextInt(i + 1) : i;
            slices[i] = slices[other];
            slices[other] = i;
        }
        for (int slice : slices) {
            slice(clock, update, slice);
        }
        assertTrue(
                residualMax() <= filter.threshold(clock),
                () -> "clock " + clock + ": " + residualMax() + " stays behind, the bound is "
                        + filter.threshold(clock));
    }

    private void slice(long clock, float[] update, int slice) {
        long at = offset(slice);
        int from = slice * sliceElements;
        int length = length(slice);
        for (int i = 0; i < length; i++) {
            sums[i] = residual(slice, i) + update[from + i];
        }
        block.wrap(room, 0);
        if (server) {
            MemorySegment.copy(sums, 0, residual, F32, at, length);
            filter.encodeResidual(residual, at, length, clock, block);
        } else {
            filter.filter(update, from, residual, at, length, clock, block);
        }
        check(slice, length);
        kept += block.count();
        bytes += block.count() == 0 ? 0 : Frame.DATA_LENGTH + block.length();
    }

    private void check(int slice, int length) {
        decode(length);
        for (int i = 0; i < length; i++) {
            float sent = emitted.getAtIndex(F32, i);
            float left = residual(slice, i);
            boolean whole = sent == 0 ? same(left, sums[i]) : same(sent, sums[i]) && left == 0;
            if (!whole) {
                fail("element " + i + " of slice " + slice + " was " + sums[i] + ", sent " + sent + ", left " + left);
            }
            digest = digest * 31 + Float.floatToRawIntBits(sent);
        }
    }

    private static boolean same(float a, float b) {
        return Float.floatToRawIntBits(a) == Float.floatToRawIntBits(b);
    }

    /** Decodes a block as a receiver does. */
    private void decode(int length) {
        emitted.fill((byte) 0);
        assertEquals(length, block.elements());
        assertEquals(ValueType.F32, block.values().plain());
        BlockFormat format = block.format();
        long column = OffHeap.address(block);
        long values = column + RiceDeltas.indicesLength(format, column, length, block.count());
        if (block.values().isPacked()) {
            kernels.values().decode(block.values(), values, block.count(), unpacked.address());
            values = unpacked.address();
        }
        long target = emitted.address();
        switch (format) {
            case EMPTY -> assertEquals(0, block.count());
            case DENSE -> kernels.add().dense(values, length, target);
            case BITMAP -> kernels.add().bitmap(column, values, block.count(), length, target);
            case INDEX -> kernels.add().indices(column, values, block.count(), target);
            case DELTA -> {
                kernels.indices().unpackDeltas(column, block.count(), deltas.address());
                kernels.add().deltas(deltas.address(), values, block.count(), target);
            }
            case RUNS -> {
                int boundaries = RunBoundaries.count(column);
                kernels.indices().unpackDeltas(column + RunBoundaries.HEADER_LENGTH, boundaries, deltas.address());
                kernels.add().runs(deltas.address(), boundaries, values, length, target);
            }
            default -> throw new AssertionError(format);
        }
    }

    private float residual(int slice, int i) {
        return residual.get(F32, offset(slice) + (long) i * Float.BYTES);
    }

    float residualMax() {
        float max = 0;
        for (int slice = 0; slice < slices(); slice++) {
            for (int i = 0; i < length(slice); i++) {
                max = Math.max(max, Math.abs(residual(slice, i)));
            }
        }
        return max;
    }

    /** Values sent in the last clock. */
    long kept() {
        return kept;
    }

    /** Bytes of the frames sent in the last clock. */
    long bytes() {
        return bytes;
    }

    /** A digest of all frames sent so far, in order. */
    int digest() {
        return digest;
    }
}
