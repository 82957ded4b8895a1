package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.MemorySegment;

/**
 * The layout of the vectors of one kind of a factor table in the table that carries them. Each worker has a block of
 * whole slices for each clock of a ring, and a block has the vectors of a clock one after the other.
 *
 * <p>No block is written again before all workers have consumed it. A server finalises version t when all workers have
 * pushed it, each at version t - 1 - s or later, with s the staleness bound, and up to then no worker has pushed beyond
 * t + s. So 2 s + 1 clocks may hold vectors that a worker has not consumed.
 *
 * @param vectors vectors of a block
 * @param length  floats of a vector
 * @param workers workers of the cluster
 * @param ring    clocks of the ring
 * @param sliceElements floats of a slice; a block is padded to whole slices
 */
record VectorBlocks(int vectors, int length, int workers, int ring, int sliceElements) {
    private static final MemorySegment ZEROS = OffHeap.allocate(1 << 16);

    /**
     * Lays out blocks in slices of at most a number of floats.
     *
     * @param staleness largest number of clocks by which a worker's version may lag behind its clock
     */
    static VectorBlocks of(int vectors, int length, int workers, int staleness, int mostOfSlice) {
        long floats = (long) vectors * length;
        long slices = (floats + mostOfSlice - 1) / mostOfSlice;
        return new VectorBlocks(
                vectors, length, workers, 2 * staleness + 1, Math.toIntExact((floats + slices - 1) / slices));
    }

    /** Number of slices of a block. */
    int slices() {
        return Math.toIntExact(((long) vectors * length + sliceElements - 1) / sliceElements);
    }

    /** The table of these blocks: a row is a slice. */
    TableSpec spec(int id, String name) {
        int rows = Math.multiplyExact(Math.multiplyExact(workers, ring), slices());
        return new TableSpec(id, name, rows, sliceElements, sliceElements, true);
    }

    /** The first slice of the block of a worker's clock. */
    int firstSlice(int worker, long clock) {
        return (worker * ring + (int) (clock % ring)) * slices();
    }

    /** Offset of the block of a worker's clock, in bytes. */
    long offset(int worker, long clock) {
        return (long) firstSlice(worker, clock) * sliceElements * Float.BYTES;
    }

    /** Makes a part of a segment zero, and allocates nothing. */
    static void clear(MemorySegment segment, long offset, long bytes) {
        for (long done = 0; done < bytes; done += ZEROS.byteSize()) {
            MemorySegment.copy(ZEROS, 0, segment, offset + done, Math.min(bytes - done, ZEROS.byteSize()));
        }
    }

    /** Length of a block with its padding, in bytes. */
    long bytes() {
        return (long) slices() * sliceElements * Float.BYTES;
    }
}
