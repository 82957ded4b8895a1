package io.sluice.consistency.worker;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A sequence lock for each slice: one thread writes slices, others read them, and a reader that a write has disturbed
 * reads again. Calls to {@link #begin} nest.
 */
final class SliceSequences implements SliceWrites {
    private static final VarHandle NUMBER = MethodHandles.arrayElementVarHandle(int[].class);

    /** For each slice, a number that is odd while the slice is written. */
    private final int[] numbers;

    /** For each slice, the number of writes that have begun and not ended. */
    private final int[] open;

    SliceSequences(int slices) {
        numbers = new int[slices];
        open = new int[slices];
    }

    @Override
    public void begin(int slice) {
        if (open[slice]++ == 0) {
            NUMBER.setOpaque(numbers, slice, numbers[slice] + 1);
            VarHandle.storeStoreFence(); // no write to the slice becomes visible before the odd number
        }
    }

    @Override
    public void end(int slice) {
        if (--open[slice] == 0) {
            NUMBER.setRelease(numbers, slice, numbers[slice] + 1);
        }
    }

    /** The number of a slice before a read; if it is odd, the read fails. */
    int number(int slice) {
        return (int) NUMBER.getAcquire(numbers, slice);
    }

    /** Whether what has been read since {@link #number} is of one state of the slice. */
    boolean isSame(int slice, int number) {
        VarHandle.loadLoadFence();
        return (number & 1) == 0 && (int) NUMBER.getOpaque(numbers, slice) == number;
    }
}
