package io.sluice.perf.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sluice.codecs.FrameBuffer;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.codecs.ByteCodec;
import io.sluice.perf.updates.HeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/**
 * The format in which the Parameter Flow paper sends a vector of which less than 20% is kept (section 3.3.1): an array
 * of the values and one of their indices, 4 bytes each, through a general compressor.
 */
final class PaperPairs implements Benchmark {
    private static final int PAIR = Integer.BYTES + Float.BYTES;

    private final TableShape shape;
    private final HeapTable table;
    private final ByteCodec codec;
    private final int[] indices = new int[TableShape.SLICE];
    private final float[] values = new float[TableShape.SLICE];
    private final FrameBuffer pairs = new FrameBuffer(TableShape.SLICE * PAIR);
    private final FrameBuffer compressed;

    PaperPairs(TableShape shape, int thread, ByteCodec codec) {
        this.shape = shape;
        this.codec = codec;
        table = new HeapTable(shape, thread);
        compressed = new FrameBuffer(codec.maxLength(TableShape.SLICE * PAIR));
    }

    @Override
    public void pass(Tally tally) {
        float[] update = table.next();
        for (int slice = 0; slice < shape.slices(); slice++) {
            int from = slice * TableShape.SLICE;
            int count = split(update, table.residual(), from, shape.sliceElements(slice), shape.threshold());
            MemorySegment.copy(values, 0, pairs.segment(), JAVA_FLOAT, 0, count);
            MemorySegment.copy(indices, 0, pairs.segment(), JAVA_INT, (long) count * Float.BYTES, count);
            int length = count == 0 ? 0 : codec.compress(pairs, count * PAIR, compressed);
            tally.add(length, count);
        }
    }

    /** The values of the last slice, then their indices. */
    FrameBuffer pairs() {
        return pairs;
    }

    private int split(float[] update, float[] residual, int from, int elements, float threshold) {
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
        return count;
    }
}
