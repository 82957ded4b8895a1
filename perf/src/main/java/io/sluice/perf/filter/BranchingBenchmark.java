package io.sluice.perf.filter;

import io.sluice.codecs.api.BlockFormat;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.HeapTable;
import io.sluice.perf.updates.TableShape;

/**
 * The straightforward filter: a loop over arrays with an {@code if}. It makes the same columns of a bitmap block as the
 * library's kernels. (Over off-heap segments the same loop is a quarter slower, so this is the stronger baseline.)
 */
final class BranchingBenchmark implements Benchmark {
    private final TableShape shape;
    private final HeapTable table;
    private final long[] bitmap = new long[TableShape.SLICE / Long.SIZE];
    private final float[] values = new float[TableShape.SLICE];

    BranchingBenchmark(TableShape shape, int thread) {
        this.shape = shape;
        table = new HeapTable(shape, thread);
    }

    @Override
    public void pass(Tally tally) {
        float[] update = table.next();
        for (int slice = 0; slice < shape.slices(); slice++) {
            int elements = shape.sliceElements(slice);
            int count = filter(
                    update, table.residual(), slice * TableShape.SLICE, elements, shape.threshold(), bitmap, values);
            tally.add(elements / Byte.SIZE + (long) count * Float.BYTES, count);
            tally.format(BlockFormat.BITMAP.code());
        }
    }

    /**
     * Filters a number of elements that is a multiple of 64, from the same place in update and residual. Returns how
     * many passed.
     */
    private static int filter(
            float[] update, float[] residual, int from, int elements, float threshold, long[] bitmap, float[] values) {
        int count = 0;
        long word = 0;
        for (int i = 0; i < elements; i++) {
            float v = residual[from + i] + update[from + i];
            if (Math.abs(v) > threshold) {
                values[count++] = v;
                residual[from + i] = 0.0f;
                word |= 1L << i;
            } else {
                residual[from + i] = v;
            }
            if (i % Long.SIZE == Long.SIZE - 1) {
                bitmap[i / Long.SIZE] = word;
                word = 0;
            }
        }
        return count;
    }
}
