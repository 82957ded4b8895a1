package io.sluice.benchmarks;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** The layout of a slice of updates that the compressor receives. */
public enum Layout {
    /** Sluice's block: the indices and the values that pass the filter, in the shortest format. */
    BLOCK {
        @Override
        byte[] bytes(float[] updates, float threshold) {
            MemorySegment update = offHeap(updates);
            MemorySegment residual = OffHeap.allocate(update.byteSize()).fill((byte) 0);
            FrameBuffer room = new FrameBuffer(BlockFormat.maxLength(updates.length));
            Block block = new Block().wrap(room.segment(), 0);
            new SliceFilter(Kernels.scalar(), ValueType.F32)
                    .filter(update, 0, residual, 0, updates.length, threshold, block);
            byte[] bytes = new byte[block.length()];
            room.buffer().getBytes(0, bytes);
            return bytes;
        }
    },

    /** All elements as f32, zeros for those that do not pass. */
    ZEROS {
        @Override
        byte[] bytes(float[] updates, float threshold) {
            ByteBuffer bytes = ByteBuffer.allocate(updates.length * Float.BYTES).order(LITTLE_ENDIAN);
            for (float update : updates) {
                bytes.putFloat(Math.abs(update) > threshold ? update : 0);
            }
            return bytes.array();
        }
    };

    /**
     * Encodes one slice of updates as a payload. The number of elements must be a multiple of 64; the payload may be
     * empty if no element exceeds the threshold.
     */
    abstract byte[] bytes(float[] updates, float threshold);

    private static MemorySegment offHeap(float[] updates) {
        return OffHeap.allocate((long) updates.length * Float.BYTES).copyFrom(MemorySegment.ofArray(updates));
    }
}
