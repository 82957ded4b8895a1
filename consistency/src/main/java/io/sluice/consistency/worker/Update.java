package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.spi.Block;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NotFiniteException;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Optional;

/** A trainer's update of one iteration, on the heap or in native memory, which use different kernels. */
sealed interface Update {
    /** Maximum number of parameters for one call of a kernel. */
    long STEP = 1 << 24;

    /**
     * An update in an array.
     *
     * @param values array that contains the update
     * @param from   index of the first parameter
     */
    record InArray(float[] values, int from) implements Update {
        @Override
        public float get(long parameter) {
            return values[(int) (from + parameter)];
        }

        @Override
        public float maxAbs(Kernels kernels, long start, int count) {
            return kernels.values().maxAbs(values, (int) (from + start), count);
        }

        @Override
        public void addTo(MemorySegment residual, Kernels kernels, long start, int count) {
            long target = OffHeap.writableAddress(residual, start * Float.BYTES, count, "residual");
            if (!kernels.add().dense(values, (int) (from + start), count, target)) {
                throw NotFiniteException.in(residual, start * Float.BYTES, count, i -> get(start + i));
            }
            Reference.reachabilityFence(residual);
        }

        @Override
        public void filter(
                UpdateFilter filter, long start, MemorySegment residual, int elements, long round, Block block) {
            filter.filter(values, (int) (from + start), residual, start * Float.BYTES, elements, round, block);
        }
    }

    /**
     * An update in native memory.
     *
     * @param values memory of all values
     */
    record InMemory(MemorySegment values) implements Update {
        @Override
        public float get(long parameter) {
            return values.get(ValueLayout.JAVA_FLOAT_UNALIGNED, parameter * Float.BYTES);
        }

        @Override
        public float maxAbs(Kernels kernels, long start, int count) {
            long address = OffHeap.address(values, start * Float.BYTES, count, "values");
            float max = kernels.values().maxAbs(address, count);
            Reference.reachabilityFence(values);
            return max;
        }

        @Override
        public void addTo(MemorySegment residual, Kernels kernels, long start, int count) {
            long from = OffHeap.address(values, start * Float.BYTES, count, "update");
            long target = OffHeap.writableAddress(residual, start * Float.BYTES, count, "residual");
            if (!kernels.add().dense(from, count, target)) {
                throw NotFiniteException.in(residual, start * Float.BYTES, count, i -> get(start + i));
            }
            Reference.reachabilityFence(values);
            Reference.reachabilityFence(residual);
        }

        @Override
        public void filter(
                UpdateFilter filter, long start, MemorySegment residual, int elements, long round, Block block) {
            long at = start * Float.BYTES;
            filter.filter(values, at, residual, at, elements, round, block);
        }
    }

    /**
     * Wraps a segment on the heap or in native memory.
     *
     * @throws IllegalArgumentException if it is neither native nor a writable view of an array of floats
     */
    static Update of(MemorySegment segment) {
        if (segment.isNative()) {
            return new InMemory(segment);
        }
        Optional<Object> base = segment.heapBase();
        if (base.isPresent() && base.get() instanceof float[] array) {
            // The address of a heap segment is its offset in the array.
            if (segment.address() % Float.BYTES != 0) {
                throw new IllegalArgumentException("the update begins " + segment.address()
                        + " bytes into its array, expected a multiple of " + Float.BYTES);
            }
            return new InArray(array, (int) (segment.address() / Float.BYTES));
        }
        throw new IllegalArgumentException(
                "the update is a read-only segment, or is in an array of another type, expected an array of floats,"
                        + " a writable segment of one, or native memory");
    }

    /** The update of a parameter. */
    float get(long parameter);

    /** Largest magnitude of a run of parameters; not finite if any of them is not. */
    float maxAbs(Kernels kernels, long start, int count);

    /** Largest magnitude of all parameters, possibly more than a kernel accepts; not finite if any is not. */
    default float maxAbs(Kernels kernels, long size) {
        float max = 0;
        for (long start = 0; start < size; start += STEP) {
            max = Math.max(max, maxAbs(kernels, start, (int) Math.min(STEP, size - start)));
        }
        return max; // Math.max propagates NaN
    }

    /**
     * Adds the slice that starts at a parameter to a residual.
     *
     * @throws NotFiniteException if a sum is NaN or infinite
     */
    void addTo(MemorySegment residual, Kernels kernels, long start, int count);

    /** Filters the slice that starts at a parameter. */
    void filter(UpdateFilter filter, long start, MemorySegment residual, int elements, long round, Block block);
}
