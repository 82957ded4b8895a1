package io.sluice.perf.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * A table of updates of which a chosen share passes a threshold of 1, in every pass over it, and its residual.
 *
 * <p>Nothing has to be restored between passes. Chosen elements have a magnitude of 1.5 to 3: they pass, and leave a
 * residual of 0. All others have one of 0.1 to 0.6 and stay in the residual; but every second pass reads a second array
 * with the same values of the opposite sign, which brings the residual back to exactly 0. So the residual never grows,
 * and the same elements pass every time. Which they are is random, and the arrays are too long for the processor to
 * learn it.
 */
final class AlternatingUpdates {
    /** Elements of a slice: the longest whose dense frame is one datagram of 64 KiB. */
    static final int SLICE = 16_320;

    /** What the chosen elements exceed. */
    static final float THRESHOLD = 1.0f;

    private static final long SLICE_BYTES = (long) SLICE * Float.BYTES;

    private final int slices;
    private final MemorySegment plus;
    private final MemorySegment minus;
    private final MemorySegment residual;
    private MemorySegment update;
    private long offset;

    /**
     * Fills a table.
     *
     * @param mib size of the table in MiB of f32; rounded down to whole slices
     * @param kept share of elements above the threshold, 0 to 1
     */
    AlternatingUpdates(int mib, double kept) {
        slices = slicesOf(mib);
        Arena arena = Arena.ofAuto();
        plus = arena.allocate(slices * SLICE_BYTES, OffHeap.ALIGNMENT);
        minus = arena.allocate(slices * SLICE_BYTES, OffHeap.ALIGNMENT);
        residual = arena.allocate(slices * SLICE_BYTES, OffHeap.ALIGNMENT).fill((byte) 0);
        SplittableRandom random = new SplittableRandom(mib);
        for (long i = 0; i < elements(); i++) {
            float magnitude = random.nextDouble() < kept
                    ? 1.5f + 1.5f * (float) random.nextDouble()
                    : 0.1f + 0.5f * (float) random.nextDouble();
            float value = random.nextBoolean() ? magnitude : -magnitude;
            plus.setAtIndex(JAVA_FLOAT, i, value);
            minus.setAtIndex(JAVA_FLOAT, i, -value);
        }
        update = minus;
        offset = (slices - 1) * SLICE_BYTES;
    }

    static int slicesOf(int mib) {
        return (int) (((long) mib << 20) / SLICE_BYTES);
    }

    /** Goes on to the next slice: after the last one, to the first with the other sign. */
    void next() {
        offset += SLICE_BYTES;
        if (offset == slices * SLICE_BYTES) {
            offset = 0;
            update = update == plus ? minus : plus;
        }
    }

    int slices() {
        return slices;
    }

    long elements() {
        return (long) slices * SLICE;
    }

    /** Holds the update of the current slice at {@link #offset()}. */
    MemorySegment update() {
        return update;
    }

    /** Holds the residual of the current slice at {@link #offset()}. */
    MemorySegment residual() {
        return residual;
    }

    /** Byte offset of the current slice. */
    long offset() {
        return offset;
    }
}
