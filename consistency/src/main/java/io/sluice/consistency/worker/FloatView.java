package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The parameters of a table as a trainer reads them, or its pending update: a window on memory, not a copy.
 *
 * <p>Parameters change only inside {@link Table#sync()}, {@link Worker#clock()} and {@link Worker#drain()}, which the
 * trainer's own thread calls, so they are constant while it computes. For that thread alone.
 */
public final class FloatView {
    private final MemorySegment floats;
    private final long size;

    FloatView(MemorySegment floats) {
        this.floats = floats.asReadOnly();
        this.size = floats.byteSize() / Float.BYTES;
    }

    /**
     * Number of floats.
     *
     * @return rows * columns of the table
     */
    public long size() {
        return size;
    }

    /**
     * The value of a parameter.
     *
     * @param index position in row order
     * @return value of the parameter
     * @throws IndexOutOfBoundsException if there is no such parameter
     */
    public float get(long index) {
        return floats.getAtIndex(JAVA_FLOAT, index);
    }

    /**
     * Copies parameters into an array.
     *
     * @param start  position of the first parameter
     * @param target receives {@code target.length} floats
     * @throws IndexOutOfBoundsException if the table has too few
     */
    public void copyTo(long start, float[] target) {
        copyTo(start, target, 0, target.length);
    }

    /**
     * Copies parameters into a part of an array.
     *
     * @param start  position of the first parameter
     * @param target array that receives them
     * @param offset offset of the first in the array
     * @param length number of parameters
     * @throws IndexOutOfBoundsException if the table or the array has too few
     */
    public void copyTo(long start, float[] target, int offset, int length) {
        Objects.checkFromIndexSize(start, length, size);
        Objects.checkFromIndexSize(offset, length, target.length);
        MemorySegment.copy(floats, JAVA_FLOAT, start * Float.BYTES, target, offset, length);
    }

    /**
     * The memory itself, for vector code.
     *
     * @return read-only native segment of {@code 4 * size()} bytes, 64-byte aligned, in native byte order
     */
    public MemorySegment segment() {
        return floats;
    }
}
