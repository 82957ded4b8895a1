package io.sluice.perf.filter;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.codecs.ByteCodec;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/** The receiver of {@link PaperPath}: decompresses the dense array and adds all of it to the replica. */
final class PaperApply implements Benchmark {
    private final TableShape shape;
    private final ByteCodec codec;
    private final FrameBuffer log;
    private final int[] ends;
    private final FrameBuffer dense = new FrameBuffer(TableShape.SLICE * Float.BYTES);
    private final MemorySegment replica;
    private long values;

    PaperApply(TableShape shape, int thread, ByteCodec codec) {
        this.shape = shape;
        this.codec = codec;
        replica = OffHeap.allocate((long) shape.part() * Float.BYTES).fill((byte) 0);
        ends = new int[shape.slices()];
        try (PaperPath sender = new PaperPath(shape, thread, codec)) {
            log = record(sender);
        }
    }

    /** The second clock's slices, one after the other. */
    private FrameBuffer record(PaperPath sender) {
        sender.pass(new Tally());
        FrameBuffer room =
                new FrameBuffer(Math.multiplyExact(shape.slices(), codec.maxLength(TableShape.SLICE * Float.BYTES)));
        MemorySegment update = sender.table().next();
        int end = 0;
        for (int slice = 0; slice < shape.slices(); slice++) {
            values += sender.slice(update, slice);
            room.buffer().putBytes(end, sender.compressed().buffer(), 0, sender.length());
            end += sender.length();
            ends[slice] = end;
        }
        return room;
    }

    @Override
    public void pass(Tally tally) {
        int begin = 0;
        for (int slice = 0; slice < shape.slices(); slice++) {
            int elements = shape.sliceElements(slice);
            codec.decompress(log, begin, ends[slice] - begin, dense, elements * Float.BYTES);
            long offset = (long) slice * TableShape.SLICE * Float.BYTES;
            PlainPass.run(1.0f, dense.segment(), replica.asSlice(offset), 0, elements);
            begin = ends[slice];
        }
        tally.add(begin, values);
    }

    /** The replica to which the arrays were added. */
    MemorySegment replica() {
        return replica;
    }
}
