package io.sluice.perf.codecs;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.ValueType;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** What is handed to a compressor for a slice of normally distributed updates of which the largest 20% are sent. */
public enum Payload {
    /** Sluice's block: a bitmap and the values that passed the filter. */
    FILTERED_BLOCK,

    /** The Parameter Flow paper's: all elements, those that did not pass as zeros. */
    ZERO_FILLED;

    /** Elements of a slice. */
    static final int ELEMENTS = 16_320;

    /** The magnitude that a fifth of a standard normal distribution exceeds. */
    static final double THRESHOLD = 1.2816;

    /** Updates of one slice. */
    static float[] updates(SplittableRandom random) {
        float[] updates = new float[ELEMENTS];
        for (int i = 0; i < ELEMENTS; i++) {
            updates[i] = (float) random.nextGaussian();
        }
        return updates;
    }

    /** The bytes for these updates: a buffer of exactly their length. */
    FrameBuffer of(float[] updates) {
        return switch (this) {
            case FILTERED_BLOCK -> filtered(updates);
            case ZERO_FILLED -> zeroFilled(updates);
        };
    }

    /** Filters the updates into a block; returns it. */
    static Block compose(float[] updates, Block block) {
        SliceFilter filter = new SliceFilter(Kernels.scalar(), ValueType.F32);
        MemorySegment residual = OffHeap.allocate((long) ELEMENTS * Float.BYTES);
        filter.filter(updates, 0, residual, 0, ELEMENTS, (float) THRESHOLD, block);
        return block;
    }

    private static FrameBuffer filtered(float[] updates) {
        FrameBuffer room = new FrameBuffer(BlockFormat.maxLength(ELEMENTS));
        Block block = compose(updates, new Block().wrap(room.segment(), 0));
        FrameBuffer exact = new FrameBuffer(block.length());
        exact.buffer().putBytes(0, room.buffer(), 0, block.length());
        return exact;
    }

    private static FrameBuffer zeroFilled(float[] updates) {
        float[] sent = updates.clone();
        for (int i = 0; i < sent.length; i++) {
            if (Math.abs(sent[i]) <= (float) THRESHOLD) {
                sent[i] = 0.0f;
            }
        }
        FrameBuffer exact = new FrameBuffer(sent.length * Float.BYTES);
        exact.segment().copyFrom(MemorySegment.ofArray(sent));
        return exact;
    }
}
