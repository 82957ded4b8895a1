package io.sluice.perf.filter;

import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.HeapTable;
import io.sluice.perf.updates.TableShape;

/**
 * The threshold encoding of Deeplearning4j, the other gradient exchange on the JVM, as a plain loop. An element that
 * reaches the threshold t is sent as its index, counted from 1, with the element's sign. It means plus or minus t,
 * which is subtracted from the residual; the rest stays there. Each index takes 4 bytes, the header 16.
 *
 * <p>It sends t instead of the values, and needs several clocks for an element of several t: it takes fewer bytes than
 * a filter that sends values, but its residual has no bound.
 */
final class ThresholdEncoder implements Benchmark {
    private static final int HEADER_LENGTH = 16;

    private final TableShape shape;
    private final HeapTable table;
    private final int[] message = new int[TableShape.SLICE];

    ThresholdEncoder(TableShape shape, int thread) {
        this.shape = shape;
        table = new HeapTable(shape, thread);
    }

    @Override
    public void pass(Tally tally) {
        float[] update = table.next();
        tally.add(HEADER_LENGTH, 0);
        for (int slice = 0; slice < shape.slices(); slice++) {
            int from = slice * TableShape.SLICE;
            int count = encode(update, table.residual(), from, shape.sliceElements(slice), shape.threshold(), message);
            tally.add((long) count * Integer.BYTES, count);
        }
    }

    /** Encodes a run of elements. Returns how many reached the threshold. */
    static int encode(float[] update, float[] residual, int from, int elements, float threshold, int[] message) {
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
        return count;
    }
}
