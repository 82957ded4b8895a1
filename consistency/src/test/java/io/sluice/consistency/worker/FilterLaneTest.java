package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class FilterLaneTest {
    private static final int SLICES = 50;
    private static final int LANES = 3;
    private static final int LANE = 1;
    private static final int OF_THE_LANE = 17;

    private static FilterLane lane() {
        return new FilterLane(LANE, LANES, 8, new SleepingIdleStrategy(), new SleepingIdleStrategy());
    }

    private static void mark(Block out, int slice, long round) {
        out.set(BlockFormat.EMPTY, ValueType.F32, 1 + slice + (int) round * SLICES, 0, 0);
    }

    @Test
    void returnsSlicesInOrderInEveryRound() {
        FilterLane.SlicePass pass = (number, update, slice, round, out) -> mark(out, slice, round);
        try (FilterLane lane = lane()) {
            for (int round = 0; round < 200; round++) {
                lane.begin(pass, SLICES, null, round);
                List<Integer> slices = new ArrayList<>();
                for (int i = 0; i < OF_THE_LANE; i++) {
                    slices.add(lane.await().elements() - 1 - round * SLICES);
                    lane.release();
                }
                lane.end();
                for (int i = 0; i < OF_THE_LANE; i++) {
                    assertEquals(LANE + i * LANES, slices.get(i));
                }
            }
        }
    }

    @Test
    void runsAheadOnlyWhileItHasFramesAndIdlesAtTheEnd() {
        AtomicInteger passes = new AtomicInteger();
        FilterLane.SlicePass pass = (number, update, slice, round, out) -> {
            mark(out, slice, round);
            passes.incrementAndGet();
        };
        try (FilterLane lane = lane()) {
            lane.begin(pass, SLICES, null, 1);
            Deadline.await("the lane is ahead", () -> passes.get() == 4);
            lane.await();
            lane.end();
            int atTheEnd = passes.get();
            assertEquals(4, atTheEnd);
            LockSupport.parkNanos(20_000_000);
            assertEquals(atTheEnd, passes.get(), "nothing is touched after the end");
            lane.begin(pass, SLICES, null, 2);
            assertEquals(1 + LANE + 2 * SLICES, lane.await().elements(), "the next update starts afresh");
        }
    }

    @Test
    void passesOnExceptionsOfThePass() {
        RuntimeException cause = new IllegalArgumentException("a bad slice");
        FilterLane.SlicePass pass = (number, update, slice, round, out) -> {
            if (slice > LANE && round == 1) {
                throw cause;
            }
            mark(out, slice, round);
        };
        try (FilterLane lane = lane()) {
            lane.begin(pass, SLICES, null, 1);
            lane.await();
            lane.release();
            assertSame(
                    cause,
                    assertThrows(IllegalStateException.class, lane::await).getCause());
            lane.end();
            lane.begin(pass, SLICES, null, 2);
            assertTrue(lane.await().elements() > 2 * SLICES, "and continues with the next");
        }
    }
}
