package io.sluice.filter;

import io.sluice.codecs.Block;
import java.lang.foreign.MemorySegment;

/**
 * Splits what is to be sent of one slice from what is kept for later.
 *
 * <p>The contract every implementation keeps, for each element: what it emits plus the residual afterwards is exactly
 * the f32 sum of residual and update before; of a filter with a threshold, what stays behind is at most {@link
 * #threshold} in magnitude. The update must be finite; NaN and infinities are for the caller to refuse.
 *
 * <p>Offsets are in bytes. The room at {@link Block#wrap} must be {@link io.sluice.codecs.BlockFormat#maxLength}
 * bytes. One instance per thread: implementations may have scratch space. Nothing is allocated per call.
 */
public interface UpdateFilter {
    /**
     * Adds an update to the residual and emits what matters.
     *
     * @param update segment of the update; not written
     * @param updateOffset of its first element
     * @param residual segment of the residual
     * @param residualOffset of its first element
     * @param elements of the slice, 1 to {@link io.sluice.codecs.BlockFormat#MAX_ELEMENTS}
     * @param clock the update belongs to
     * @param out says where the block goes; is told what it became. A count of 0 means there is nothing to send
     */
    void filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            long clock,
            Block out);

    /**
     * Emits what matters of a residual into which updates were summed directly.
     *
     * @param residual segment of the residual
     * @param residualOffset of its first element
     * @param elements of the slice, 1 to {@link io.sluice.codecs.BlockFormat#MAX_ELEMENTS}
     * @param clock the sum belongs to
     * @param out says where the block goes; is told what it became. A count of 0 means there is nothing to send
     */
    void drain(MemorySegment residual, long residualOffset, int elements, long clock, Block out);

    /** The name used in configuration and reports. */
    String name();

    /**
     * The bound on what stays behind.
     *
     * @param clock of the worker or server
     * @return magnitude, 0 or more
     */
    float threshold(long clock);
}
