package io.sluice.perf.updates;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One thread's part of a table outside the heap: the updates of the clocks, in turn, and the residual. */
public final class OffHeapTable {
    private final MemorySegment[] updates;
    private final MemorySegment residual;
    private int clock = -1;

    /** Fills the part of a thread. */
    public OffHeapTable(TableShape shape, int thread) {
        Arena arena = Arena.ofAuto();
        long bytes = (long) shape.part() * Float.BYTES;
        updates = new MemorySegment[shape.source().clocks()];
        for (int i = 0; i < updates.length; i++) {
            updates[i] = arena.allocate(bytes, OffHeap.ALIGNMENT);
            updates[i].copyFrom(MemorySegment.ofArray(shape.update(i, thread)));
        }
        // Touched now: memory that was never written is one shared page of zeros, and reads too fast.
        residual = arena.allocate(bytes, OffHeap.ALIGNMENT).fill((byte) 0);
    }

    /** Advances to the next clock, cyclically, and returns its update. */
    public MemorySegment next() {
        clock = (clock + 1) % updates.length;
        return updates[clock];
    }

    /** The residual. */
    public MemorySegment residual() {
        return residual;
    }
}
