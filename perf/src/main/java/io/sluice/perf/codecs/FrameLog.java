package io.sluice.perf.codecs;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.BlockFormat;
import io.sluice.perf.updates.TableShape;
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

    /** Makes a log with room for a number of frames. */
    public FrameLog(int most) {
        offsets = new int[most];
        lengths = new int[most];
        values = new long[most];
        log = new FrameBuffer(
                Math.multiplyExact(most, aligned(Frame.DATA_LENGTH + BlockFormat.maxLength(TableShape.SLICE))));
    }

    /**
     * Appends a frame.
     *
     * @param frame  buffer that begins with the frame
     * @param length length of the frame in bytes
     * @param kept   values that passed the filter
     */
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
    DirectBuffer buffer() {
        return log.buffer();
    }

    /** The number of frames. */
    int size() {
        return frames;
    }

    /** Byte offset of a frame. */
    int offset(int frame) {
        return offsets[frame];
    }

    /** Bytes of a frame. */
    int length(int frame) {
        return lengths[frame];
    }

    /** Values that passed the filter for a frame. */
    long values(int frame) {
        return values[frame];
    }
}
