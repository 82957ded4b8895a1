package io.sluice.perf.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.spi.BlockCompressor;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.HeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/**
 * Filters as plain loops over arrays, slice by slice. (Over off-heap segments the same loops are a quarter slower, so
 * these are the stronger baselines.)
 */
final class ArrayLoops implements Benchmark {
    private static final int PAIR = Integer.BYTES + Float.BYTES;
    private static final int ENCODER_HEADER = 16;

    private final TableShape shape;
    private final HeapTable table;
    private final Loop loop;

    /** A filter of a slice. */
    @FunctionalInterface
    interface Loop {
        /** Filters the elements that start at {@code from} in both arrays, and counts the result. */
        void run(float[] update, float[] residual, int from, int elements, Tally tally);
    }

    ArrayLoops(TableShape shape, int thread, Loop loop) {
        this.shape = shape;
        this.loop = loop;
        table = new HeapTable(shape, thread);
    }

    @Override
    public void pass(Tally tally) {
        float[] update = table.next();
        for (int slice = 0; slice < shape.slices(); slice++) {
            loop.run(update, table.residual(), slice * TableShape.SLICE, shape.sliceElements(slice), tally);
        }
    }

    /** The straightforward filter, with an {@code if}: the same columns of a bitmap block as the library's kernels. */
    static Loop branching(float threshold) {
        long[] bitmap = new long[TableShape.SLICE / Long.SIZE];
        float[] values = new float[TableShape.SLICE];
        return (update, residual, from, elements, tally) -> {
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
            tally.add(elements / Byte.SIZE + (long) count * Float.BYTES, count);
            tally.format(BlockFormat.BITMAP.code());
        };
    }

    /**
     * The format in which the Parameter Flow paper sends a vector of which less than 20% is kept (section 3.3.1): the
     * values and then their indices, 4 bytes each, through a general compressor.
     *
     * @param pairs buffer for them, with room for {@link #pairsLength()} bytes
     */
    static Loop paperPairs(float threshold, BlockCompressor compressor, FrameBuffer pairs) {
        int[] indices = new int[TableShape.SLICE];
        float[] values = new float[TableShape.SLICE];
        FrameBuffer compressed = new FrameBuffer(compressor.maxCompressedLength(pairsLength()));
        return (update, residual, from, elements, tally) -> {
            int count = 0;
            for (int i = from; i < from + elements; i++) {
                float v = residual[i] + update[i];
                if (Math.abs(v) > threshold) {
                    indices[count] = i;
                    values[count++] = v;
                    residual[i] = 0.0f;
                } else {
                    residual[i] = v;
                }
            }
            MemorySegment.copy(values, 0, pairs.segment(), JAVA_FLOAT, 0, count);
            MemorySegment.copy(indices, 0, pairs.segment(), JAVA_INT, (long) count * Float.BYTES, count);
            tally.add(count == 0 ? 0 : FilterSteps.compress(compressor, pairs, count * PAIR, compressed), count);
        };
    }

    static int pairsLength() {
        return TableShape.SLICE * PAIR;
    }

    /**
     * The threshold encoding of Deeplearning4j, the other gradient exchange on the JVM. An element that reaches the
     * threshold t is sent as its index, counted from 1, with the element's sign. It means plus or minus t, which is
     * subtracted from the residual. Each index takes 4 bytes, the header of a table 16.
     *
     * <p>It sends t instead of the values, and needs several clocks for an element of several t: it takes fewer bytes
     * than a filter that sends values, but its residual has no bound.
     *
     * @param message room for the indices of a slice
     */
    static Loop thresholdEncoder(float threshold, int[] message) {
        return (update, residual, from, elements, tally) -> {
            int count = 0;
            for (int i = from; i < from + elements; i++) {
                float v = residual[i] + update[i];
                if (v >= threshold) {
                    message[count++] = i + 1;
                    residual[i] = v - threshold;
                } else if (v <= -threshold) {
                    message[count++] = -(i + 1);
                    residual[i] = v + threshold;
                } else {
                    residual[i] = v;
                }
            }
            tally.add((from == 0 ? ENCODER_HEADER : 0) + (long) count * Integer.BYTES, count);
        };
    }
}
