package io.sluice.perf.updates;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One thread's part of a table outside the heap: the updates of the clocks, in turn, and the residual. It can move,
 * because the speed of a loop depends on the positions of update and residual relative to each other, and on their
 * pages.
 */
public final class OffHeapTable implements AutoCloseable {
    private final Area[] updates;
    private final Area residual;
    private int clock = -1;

    /** Fills the part of a thread. */
    public OffHeapTable(TableShape shape, int thread) {
        updates = IntStream.range(0, shape.clocks())
                .mapToObj(each -> new Area(shape.update(each, thread)))
                .toArray(Area[]::new);
        residual = new Area(new float[shape.part()]);
    }

    /** Advances to the next clock, cyclically, and returns its update, which is valid until the table moves. */
    public MemorySegment next() {
        clock = (clock + 1) % updates.length;
        return updates[clock].segment;
    }

    /** The residual, valid until the table moves. */
    public MemorySegment residual() {
        return residual.segment;
    }

    /** Moves update and residual to other addresses and other pages. */
    public void move() {
        areas().forEach(Area::move);
    }

    /** Releases the memory. */
    @Override
    public void close() {
        areas().forEach(area -> area.arena.close());
    }

    private Stream<Area> areas() {
        return Stream.concat(Stream.of(updates), Stream.of(residual));
    }

    /** Memory that begins at a random cache line of a page. */
    private static final class Area {
        private static final int PAGE = 4_096;

        private Arena arena;
        private MemorySegment segment;

        Area(float[] content) {
            place(MemorySegment.ofArray(content));
        }

        void move() {
            Arena left = arena;
            place(segment);
            left.close();
        }

        /** The segment has global scope, so that loops over it need not check that the arena is open. */
        private void place(MemorySegment content) {
            arena = Arena.ofShared();
            long line = ThreadLocalRandom.current().nextInt(PAGE / OffHeap.ALIGNMENT);
            MemorySegment room = arena.allocate(content.byteSize() + PAGE, PAGE);
            segment = OffHeap.ALL
                    .asSlice(room.address() + line * OffHeap.ALIGNMENT, content.byteSize())
                    .copyFrom(content);
        }
    }
}
