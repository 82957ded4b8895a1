package io.sluice.perf.codecs;

import io.sluice.codecs.FrameBuffer;
import org.agrona.DirectBuffer;

/** The frames of one clock of one thread's part of a table, one after the other, as in the log of a transport. */
public final class FrameLog {
    private static final int ALIGNMENT = 32;

    private final FrameBuffer log;
    private final int[] offsets;
    private final int[] lengths;
    private final long[] values;
    private int frames;
    private int end;

    /** Makes a log with room for a number of frames up to a length. */
    public FrameLog(int most, int longest) {
        offsets = new int[most];
        lengths = new int[most];
        values = new long[most];
        log = new FrameBuffer(Math.multiplyExact(most, aligned(longest)));
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
    public DirectBuffer buffer() {
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
