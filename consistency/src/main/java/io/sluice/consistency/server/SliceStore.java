package io.sluice.consistency.server;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Off-heap floats for the slices of a table that one server owns, each slice on its own cache lines. */
final class SliceStore {
    /** Zeros, as many as the longest slice of any table has floats. */
    private static final MemorySegment ZEROS = OffHeap.allocate((long) TableSpec.MAX_SLICE_ELEMENTS * Float.BYTES);

    private final TableSpec spec;
    private final int[] owned;
    private final MemorySegment segment;
    private final long[] offsets;
    private final int[] lengths;

    /**
     * Allocates zeroed floats.
     *
     * @param spec  the table
     * @param owned numbers of the slices
     */
    SliceStore(TableSpec spec, int[] owned) {
        this.spec = spec;
        this.owned = owned;
        offsets = new long[owned.length];
        lengths = new int[owned.length];
        long size = 0;
        for (int i = 0; i < owned.length; i++) {
            offsets[i] = size;
            lengths[i] = spec.sliceLength(owned[i]);
            long bytes = (long) lengths[i] * Float.BYTES;
            size += (bytes + OffHeap.ALIGNMENT - 1) & -OffHeap.ALIGNMENT;
        }
        segment = OffHeap.allocate(size);
    }

    MemorySegment segment() {
        return segment;
    }

    /** The memory of each owned slice. */
    MemorySegment[] parts() {
        MemorySegment[] parts = new MemorySegment[owned.length];
        Arrays.setAll(parts, i -> segment.asSlice(offsets[i], (long) lengths[i] * Float.BYTES));
        return parts;
    }

    /** Byte offset of the i-th owned slice. */
    long offset(int i) {
        return offsets[i];
    }

    /** Number of floats of the i-th owned slice. */
    int length(int i) {
        return lengths[i];
    }

    /** The position of an element of the i-th owned slice in the table, for messages. */
    String at(int i, int element) {
        return spec.at(owned[i], element);
    }

    /** Sets all floats of the i-th owned slice to 0. */
    void clear(int i) {
        MemorySegment.copy(ZEROS, 0, segment, offsets[i], (long) lengths[i] * Float.BYTES);
    }

    /** Copies a slice of another store of the table, by their positions. */
    void copyFrom(int i, SliceStore other, int from) {
        MemorySegment.copy(other.segment, other.offsets[from], segment, offsets[i], (long) lengths[i] * Float.BYTES);
    }
}
