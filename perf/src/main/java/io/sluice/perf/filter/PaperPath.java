package io.sluice.perf.filter;

import io.sluice.codecs.FrameBuffer;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.codecs.ByteCodec;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/**
 * The path of the Parameter Flow paper (section 3.3.1 and figure 4): a dense array in which zeros replace the elements
 * that are not kept, through a general compressor. It processes slice by slice, and so works in the cache.
 */
final class PaperPath implements Benchmark {
    private final TableShape shape;
    private final OffHeapTable table;
    private final ByteCodec codec;
    private final FrameBuffer dense = new FrameBuffer(TableShape.SLICE * Float.BYTES);
    private final FrameBuffer compressed;
    private int length;

    PaperPath(TableShape shape, int thread, ByteCodec codec) {
        this.shape = shape;
        this.codec = codec;
        table = new OffHeapTable(shape, thread);
        compressed = new FrameBuffer(codec.maxLength(TableShape.SLICE * Float.BYTES));
    }

    @Override
    public void pass(Tally tally) {
        MemorySegment update = table.next();
        for (int slice = 0; slice < shape.slices(); slice++) {
            tally.add(0, slice(update, slice));
            tally.add(length, 0);
        }
    }

    /** Filters and compresses one slice. Returns the number of values kept. */
    int slice(MemorySegment update, int slice) {
        int elements = shape.sliceElements(slice);
        long offset = (long) slice * TableShape.SLICE * Float.BYTES;
        int count = ZeroFill.run(update, table.residual(), offset, elements, shape.threshold(), dense.segment());
        length = codec.compress(dense, elements * Float.BYTES, compressed);
        return count;
    }

    @Override
    public void close() {
        table.close();
    }

    OffHeapTable table() {
        return table;
    }

    /** The compressed form of the last slice. */
    FrameBuffer compressed() {
        return compressed;
    }

    /** Length of the compressed form in bytes. */
    int length() {
        return length;
    }
}
