package io.sluice.codecs;

import io.sluice.codecs.api.CompressionReport;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockCompressor;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Compresses the blocks of a sender's data frames in place. A block that does not get shorter is sent as it is.
 *
 * <p>One per thread. The first frame allocates working memory, later frames allocate nothing.
 */
public final class PayloadCompressor {
    private final BlockCompressor compressor;
    private final int minLength;
    private final NanoClock clock;
    private final CompressionCounters counters;
    private FrameBuffer packed;
    private int code = NoCompressor.CODE;

    private PayloadCompressor(BlockCompressor compressor, int minLength, NanoClock clock) {
        this.compressor = compressor;
        this.minLength = minLength;
        this.clock = clock;
        this.counters = new CompressionCounters(compressor.name());
    }

    /** Creates a compressor that sends every block uncompressed. */
    public static PayloadCompressor never() {
        return new PayloadCompressor(new NoCompressor(), Integer.MAX_VALUE, null);
    }

    /**
     * Creates a compressor that tries to compress every block.
     *
     * @param compressor compressor of the same thread; {@code none} is the same as {@link #never}
     * @param clock      measures how long compression takes
     */
    public static PayloadCompressor always(BlockCompressor compressor, NanoClock clock) {
        return from(compressor, 1, clock);
    }

    /**
     * Creates a compressor that tries to compress every block of a minimum length.
     *
     * @param compressor compressor of the same thread; {@code none} is the same as {@link #never}
     * @param minLength  length of a block in bytes, 1 or more
     * @param clock      measures how long compression takes
     */
    public static PayloadCompressor from(BlockCompressor compressor, int minLength, NanoClock clock) {
        return compressor.code() == NoCompressor.CODE ? never() : new PayloadCompressor(compressor, minLength, clock);
    }

    /** Reports the compression so far. Call it from the thread that compresses, or after that thread has ended. */
    public CompressionReport report() {
        return counters.report();
    }

    /**
     * Compresses the block of a frame. {@link #code} then names the compressor of the payload.
     *
     * @param frame buffer holding the block at {@link Frame#DATA_LENGTH}
     * @param block describes that block
     * @param values type of its values
     * @return length of the payload
     */
    int compress(FrameBuffer frame, Block block, ValueType values) {
        code = NoCompressor.CODE;
        int length = block.length();
        if (length < minLength) {
            return length;
        }
        UnsafeBuffer target = roomFor(frame).buffer();
        long startNs = clock.nanoTime();
        int made = compressor.compress(frame.buffer(), Frame.DATA_LENGTH, length, target, 0, target.capacity());
        long ns = clock.nanoTime() - startNs;
        boolean shorter = made >= 0 && made < length;
        counters.onTried(FrameClass.of(block.format(), values), length, shorter ? made : length, ns);
        if (!shorter) {
            return length;
        }
        frame.buffer().putBytes(Frame.DATA_LENGTH, packed.buffer(), 0, made);
        code = compressor.code();
        return made;
    }

    /** The code of the compressor that made the payload returned last. */
    int code() {
        return code;
    }

    private FrameBuffer roomFor(FrameBuffer frame) {
        int needed = compressor.maxCompressedLength(frame.capacity() - Frame.DATA_LENGTH);
        if (packed == null || packed.capacity() < needed) {
            packed = new FrameBuffer(needed);
        }
        return packed;
    }
}
