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
 * <p>If workers send each other their blocks, no server waits for the slowest of them: a worker that pushes clock t has
 * what others have pushed up to t - 1 - s, each at version t - 2 - 2 s or later, so 2 s + 2 clocks may hold vectors.
 * Where blocks wait at their sender, they may be as many clocks older as they wait.
 *
 * @param vectors vectors of a block
 * @param length floats of a vector
 * @param workers workers of the cluster
 * @param ring clocks of the ring
 * @param sliceElements floats of a slice; a block is padded to whole slices
 * @param share slices behind the blocks of each worker that hold its share of a matrix that it sends to
 *     another worker
 */
record VectorBlocks(int vectors, int length, int workers, int ring, int sliceElements, int share) {
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
                vectors, length, workers, 2 * staleness + 1, Math.toIntExact((floats + slices - 1) / slices), 0);
    }

    /**
     * The blocks that workers send each other.
     *
     * @param depth  clocks whose blocks may be sent at once
     * @param matrix floats of the matrix that the table carries in some clocks, or 0
     */
    VectorBlocks forPeers(int depth, long matrix) {
        long floats = (long) workers * sliceElements;
        int each = (int) Math.min(Integer.MAX_VALUE, (matrix + floats - 1) / floats); // too many are refused later
        return new VectorBlocks(vectors, length, workers, ring + depth, sliceElements, each);
    }

    /** Number of slices of a block. */
    int slices() {
        return Math.toIntExact(((long) vectors * length + sliceElements - 1) / sliceElements);
    }

    /** Slices of all blocks. */
    long allSlices() {
        return workers * ((long) ring * slices() + share);
    }

    /** The table of these blocks: a row is a slice. */
    TableSpec spec(int id, String name) {
        return new TableSpec(id, name, Math.toIntExact(allSlices()), sliceElements, sliceElements, true);
    }

    /** Slices of each worker. */
    private int ofWorker() {
        return ring * slices() + share;
    }

    /** The first slice of the block of a worker's clock. */
    int firstSlice(int worker, long clock) {
        return worker * ofWorker() + (int) (clock % ring) * slices();
    }

    /** Number of slices of a matrix that workers send to each other. */
    int ofMatrix() {
        return workers * share;
    }

    /** The slice that holds a part of a matrix that workers send to each other. */
    int sliceOfMatrix(int part) {
        return part / share * ofWorker() + ring * slices() + part % share;
    }

    /** Whether a slice holds a part of a matrix that workers send to each other, rather than vectors. */
    boolean isOfMatrix(int slice) {
        return slice % ofWorker() >= ring * slices();
    }

    /** The last clock, up to a given one, whose block has a slice. */
    long clockOf(int slice, long latest) {
        int place = slice % ofWorker() / slices();
        return latest - Math.floorMod(latest - place, ring);
    }

    /** Offset of the block of a worker's clock, in bytes. */
    long offset(int worker, long clock) {
        return (long) firstSlice(worker, clock) * sliceElements * Float.BYTES;
    }

    /** Sets a part of a segment to zero, and allocates nothing. */
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
