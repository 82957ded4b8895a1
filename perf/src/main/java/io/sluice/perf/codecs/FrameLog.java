package io.sluice.perf.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/** The frames of one clock of one thread's part of a table, one after the other, as in the log of a transport. */
public final class FrameLog {
    private static final int ALIGNMENT = 32;

    private final FrameBuffer log;
    private final int[] offsets;
    private final int[] lengths;
    private final long[] values;
    private int frames;
    private int end;

    /** Creates a log with room for a number of frames up to a length. */
    public FrameLog(int most, int longest) {
        offsets = new int[most];
        lengths = new int[most];
        values = new long[most];
        log = new FrameBuffer(Math.multiplyExact(most, aligned(longest)));
    }

    /**
     * Creates a dense frame of random values, without a checksum.
     *
     * @param length {@link Frame#DATA_LENGTH} bytes plus a multiple of 4
     */
    public static FrameBuffer dense(int length, DataHeader header) {
        int payload = length - Frame.DATA_LENGTH;
        int elements = Math.max(1, payload / Float.BYTES);
        FrameBuffer frame = FrameBuffer.forDataFrames(elements);
        SplittableRandom random = new SplittableRandom(length + header.sequence());
        for (int at = Frame.DATA_LENGTH; at < length; at += Float.BYTES) {
            frame.buffer().putFloat(at, (float) random.nextDouble(-1, 1), LITTLE_ENDIAN);
        }
        Block block = frame.room(new Block());
        block.set(
                payload == 0 ? BlockFormat.EMPTY : BlockFormat.DENSE,
                ValueType.F32,
                elements,
                payload / Float.BYTES,
                payload);
        new DataFrameEncoder(elements).compose(frame, header, block, PayloadCompressor.never());
        return frame;
    }

    /** Appends the frame at the beginning of a buffer; {@code kept} is its number of values that passed the filter. */
    public void add(FrameBuffer frame, int length, long kept) {
        offsets[frames] = end;
        lengths[frames] = length;
        values[frames] = kept;
        log.buffer().putBytes(end, frame.buffer(), 0, length);
        end += aligned(length);
        frames++;
    }

    private static int aligned(int length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** The buffer that holds the frames. */
    public UnsafeBuffer buffer() {
        return log.buffer();
    }

    public int size() {
        return frames;
    }

    /** Byte offset of a frame. */
    public int offset(int frame) {
        return offsets[frame];
    }

    /** Length of a frame, in bytes. */
    public int length(int frame) {
        return lengths[frame];
    }

    /** Number of values of a frame that passed the filter. */
    public long values(int frame) {
        return values[frame];
    }
}
