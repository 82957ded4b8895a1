package io.sluice.codecs.spi;

import io.sluice.codecs.api.ValueType;
import java.lang.foreign.MemorySegment;

/**
 * A block that is being composed: the memory for its bytes and, once a filter has written them, their format and
 * counts.
 *
 * <p>Mutable and reused. A filter may write anywhere in the {@link BlockFormat#maxLength} bytes from {@link #offset()},
 * of which the first {@link #length()} are the block.
 */
public final class Block {
    private MemorySegment segment;
    private long offset;
    private BlockFormat format = BlockFormat.EMPTY;
    private ValueType values = ValueType.F32;
    private int elements;
    private int count;
    private int length;

    /** Creates a block without memory; {@link #wrap} sets it. */
    public Block() {}

    /**
     * Sets where the next block is written.
     *
     * @param segment segment to write to
     * @param offset offset in bytes, of the block's first byte
     * @return this
     */
    public Block wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return set(BlockFormat.EMPTY, ValueType.F32, 0, 0, 0);
    }

    /**
     * Describes the block that was written.
     *
     * @param format format of the indices
     * @param values type of the values
     * @param elements elements of the slice
     * @param count number of values; {@code elements} when the format is DENSE
     * @param length length of the block in bytes
     * @return this
     */
    public Block set(BlockFormat format, ValueType values, int elements, int count, int length) {
        this.format = format;
        this.values = values;
        this.elements = elements;
        this.count = count;
        this.length = length;
        return this;
    }

    /** The segment that holds the block. */
    public MemorySegment segment() {
        return segment;
    }

    /** Byte offset of the block in {@link #segment()}. */
    public long offset() {
        return offset;
    }

    /** The format of the indices. */
    public BlockFormat format() {
        return format;
    }

    /** The type of the values. */
    public ValueType values() {
        return values;
    }

    /** Number of elements of the slice. */
    public int elements() {
        return elements;
    }

    /** Number of values in the block. With 0 there is nothing to send. */
    public int count() {
        return count;
    }

    /** Length of the block, in bytes. */
    public int length() {
        return length;
    }
}
