package io.sluice.perf.codecs;

import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.RunBoundaries;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.IndicesKernel;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.ValuesKernel;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/**
 * Writes blocks in one format and one value type with the library's kernels, as the filter does once it has chosen a
 * format, whether or not that is the shortest. Rounding errors of the type are added to a residual.
 */
final class BlockWriter {
    private static final long VALUES_LENGTH = (long) TableShape.SLICE * Float.BYTES + ValuesKernel.SLACK;
    private static final long INDICES_LENGTH = (long) TableShape.SLICE * Short.BYTES + 2L * IndicesKernel.SLACK;

    private final Kernels kernels = Kernels.preferred();
    private final BlockFormat format;
    private final ValueType type;
    private final boolean lossy;
    private final MemorySegment scratch =
            OffHeap.allocate(3 * VALUES_LENGTH + TableShape.SLICE * Float.BYTES + INDICES_LENGTH);
    private final long meant = scratch.address();
    private final long spread = meant + VALUES_LENGTH;
    private final long rendered = spread + VALUES_LENGTH;
    private final long residual = rendered + VALUES_LENGTH;
    private final long indices = residual + (long) TableShape.SLICE * Float.BYTES + IndicesKernel.SLACK;

    BlockWriter(BlockFormat format, ValueType type) {
        this.format = format;
        this.type = type;
        lossy = type == ValueType.F16 || type == ValueType.LOG8;
    }

    /**
     * Creates a buffer for a frame with any block that this class writes, even one that is too long for frames.
     */
    static FrameBuffer frame() {
        return new FrameBuffer(
                Frame.DATA_LENGTH + 2 * BlockFormat.maxLength(TableShape.SLICE) + 2 * IndicesKernel.SLACK);
    }

    /** Writes the block of a slice; an EMPTY one if nothing is kept and the format has no place for that. */
    void write(FilteredSlices slices, int slice, Block out) {
        int elements = slices.elements(slice);
        int count = slices.count(slice);
        if (count == 0 && format != BlockFormat.DENSE) {
            out.set(BlockFormat.EMPTY, type, elements, 0, 0);
            return;
        }
        int indicesLength = writeIndices(slices, slice, OffHeap.address(out));
        long source = slices.values(slice);
        int sent = count;
        if (format == BlockFormat.DENSE) {
            kernels.indices().expand(slices.bitmap(slice), source, count, elements, spread);
            source = spread;
            sent = elements;
        }
        long column = OffHeap.address(out) + indicesLength;
        int length = kernels.values().encode(type, source, sent, column);
        if (lossy) {
            keepLosses(slices, slice, source, sent, column);
        }
        out.set(format, type, elements, sent, indicesLength + length);
    }

    private int writeIndices(FilteredSlices slices, int slice, long target) {
        int elements = slices.elements(slice);
        int count = slices.count(slice);
        long bitmap = slices.bitmap(slice);
        return switch (format) {
            case EMPTY, DENSE -> 0;
            case BITMAP -> copied(bitmap, target, BlockFormat.bitmapLength(elements));
            case INDEX -> {
                kernels.indices().indices(bitmap, elements, count, indices);
                OffHeap.ALL.set(JAVA_SHORT_UNALIGNED, indices + (long) count * Short.BYTES, (short) 0);
                yield copied(indices, target, format.minIndicesLength(elements, count));
            }
            case DELTA -> {
                kernels.indices().indices(bitmap, elements, count, indices);
                yield kernels.indices().packDeltas(indices, count, elements, target);
            }
            case RUNS -> {
                int boundaries = kernels.indices().boundaries(bitmap, elements, RunBoundaries.MOST);
                if (boundaries > RunBoundaries.MOST) {
                    throw new IllegalArgumentException("slice " + slice + " has " + boundaries
                            + " boundaries of runs, expected at most " + RunBoundaries.MOST + " in a column of RUNS");
                }
                yield kernels.indices().packRuns(bitmap, elements, boundaries, indices, target);
            }
        };
    }

    private void keepLosses(FilteredSlices slices, int slice, long source, int sent, long column) {
        copied(source, meant, sent * Float.BYTES);
        kernels.values().decode(type, column, sent, rendered);
        kernels.values().subtract(rendered, sent, meant);
        if (format == BlockFormat.DENSE) {
            kernels.add().dense(meant, sent, residual);
        } else {
            kernels.add().bitmap(slices.bitmap(slice), meant, sent, slices.elements(slice), residual);
        }
    }

    private static int copied(long from, long to, int bytes) {
        MemorySegment.copy(OffHeap.ALL, from, OffHeap.ALL, to, bytes);
        return bytes;
    }
}
