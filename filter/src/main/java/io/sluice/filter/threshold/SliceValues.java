package io.sluice.filter.threshold;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * The sums of residual and update of one slice before it is filtered, from which a threshold can be chosen. A view,
 * reused; valid until the slice is filtered.
 */
public final class SliceValues {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private MemorySegment residual = MemorySegment.NULL;
    private long residualOffset;
    private long residualAddress;
    private float[] array;
    private int arrayIndex;
    private long updateAddress;
    private int elements;

    /** Creates an empty view. */
    public SliceValues() {}

    /**
     * Sets a residual and an update in memory.
     *
     * @param update native segment
     * @param updateOffset offset of its first element, in bytes
     * @param target native segment of the residual
     * @param targetOffset offset of its first element, in bytes
     * @param count number of elements
     * @return this
     */
    public SliceValues of(MemorySegment update, long updateOffset, MemorySegment target, long targetOffset, int count) {
        updateAddress = OffHeap.address(update, updateOffset, count, "update");
        array = null;
        return look(target, targetOffset, count);
    }

    /**
     * Sets a residual, and an update in an array.
     *
     * @param update array
     * @param updateIndex index of its first element
     * @param target native segment of the residual
     * @param targetOffset offset of its first element, in bytes
     * @param count number of elements
     * @return this
     */
    public SliceValues of(float[] update, int updateIndex, MemorySegment target, long targetOffset, int count) {
        Objects.checkFromIndexSize(updateIndex, count, update.length);
        array = update;
        arrayIndex = updateIndex;
        updateAddress = 0;
        return look(target, targetOffset, count);
    }

    /**
     * Sets a residual into which the updates were summed.
     *
     * @param target native segment of the residual
     * @param targetOffset offset of its first element, in bytes
     * @param count number of elements
     * @return this
     */
    public SliceValues of(MemorySegment target, long targetOffset, int count) {
        array = null;
        updateAddress = 0;
        return look(target, targetOffset, count);
    }

    private SliceValues look(MemorySegment target, long targetOffset, int count) {
        residualAddress = OffHeap.address(target, targetOffset, count, "residual");
        residual = target;
        residualOffset = targetOffset;
        elements = count;
        return this;
    }

    /** Number of elements of the slice. */
    public int elements() {
        return elements;
    }

    /** Index of the slice's first element in its table's residual, which identifies the slice. */
    public long start() {
        return residualOffset / Float.BYTES;
    }

    /**
     * The sum of an element.
     *
     * @param i element of the slice
     * @return residual + update
     */
    public float value(int i) {
        return residual(i) + update(i);
    }

    /** The greatest finite magnitude of the sums. */
    public float greatest() {
        float greatest = 0;
        for (int i = 0; i < elements; i++) {
            float magnitude = Math.abs(value(i));
            greatest = magnitude > greatest && magnitude <= Float.MAX_VALUE ? magnitude : greatest;
        }
        return greatest;
    }

    /**
     * The update of an element.
     *
     * @param i element of the slice
     * @return the update, 0 if it is in the residual already
     */
    public float update(int i) {
        if (array != null) {
            return array[arrayIndex + i];
        }
        // Adding -0.0 changes no number.
        return updateAddress == 0 ? -0.0f : OffHeap.ALL.get(F32, updateAddress + (long) i * Float.BYTES);
    }

    /**
     * The residual of an element.
     *
     * @param i element of the slice
     * @return the residual as it is now
     */
    public float residual(int i) {
        return OffHeap.ALL.get(F32, residualAddress + (long) i * Float.BYTES);
    }

    /**
     * Replaces one residual.
     *
     * @param i element of the slice
     * @param value value to store
     */
    public void setResidual(int i, float value) {
        residual.set(F32, residualOffset + (long) i * Float.BYTES, value);
    }
}
