package io.sluice.codecs;

import java.lang.foreign.MemorySegment;

/**
 * A block being composed: where its bytes go, and, once a filter has written it, what it is.
 *
 * <p>Mutable and reused. A filter may write anywhere in the {@link BlockFormat#maxLength} bytes from {@link #offset()},
 * of which the first {@link #length()} are the block.
 */
public final class Block {
    private MemorySegment segment;
    private long offset;
    private BlockFormat format = BlockFormat.INDEX;
    private int elements;
    private int count;
    private int length;

    /**
     * Says where the next block goes.
     *
     * @param segment to write to
     * @param offset in bytes, of the block's first byte
     * @return this
     */
    public Block wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return set(BlockFormat.INDEX, 0, 0);
    }

    /**
     * Puts the next block behind the root of a data frame.
     *
     * @param frame to be encoded later by {@link DataFrameEncoder}
     * @return this
     */
    public Block wrap(FrameBuffer frame) {
        return wrap(frame.segment(), Frame.DATA_LENGTH);
    }

    /**
     * Says what was written.
     *
     * @param format of the block
     * @param elements of the slice
     * @param count of values; {@code elements} when the format is DENSE
     * @return this
     */
    public Block set(BlockFormat format, int elements, int count) {
        this.format = format;
        this.elements = elements;
        this.count = count;
        this.length = format.length(elements, count);
        return this;
    }

    /** The memory the block is in. */
    public MemorySegment segment() {
        return segment;
    }

    /** Byte offset of the block in {@link #segment()}. */
    public long offset() {
        return offset;
    }

    /** The format chosen. */
    public BlockFormat format() {
        return format;
    }

    /** Elements of the slice. */
    public int elements() {
        return elements;
    }

    /** Values in the block. With 0 there is nothing to send. */
    public int count() {
        return count;
    }

    /** Bytes of the block. */
    public int length() {
        return length;
    }
}
