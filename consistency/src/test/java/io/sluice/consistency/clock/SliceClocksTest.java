package io.sluice.consistency.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.codecs.Property;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SliceClocksTest {
    @Test
    void beginsBeforeTheStart() {
        SliceClocks clocks = new SliceClocks(2, 3, -1);
        assertEquals(3, clocks.workers());
        assertEquals(-1, clocks.get(1, 2));
        assertEquals(-1, clocks.min(0));
        assertEquals(0, clocks.roundsPushed(1, 0));
    }

    @Test
    void aClockNeverFalls() {
        SliceClocks clocks = new SliceClocks(1, 1, -1);
        clocks.raise(0, 0, 5);
        clocks.raise(0, 0, 3);
        assertEquals(5, clocks.get(0, 0));
    }

    @Test
    void noWorkerPrecedesWorkerZero() {
        SliceClocks clocks = new SliceClocks(1, 2, -1);
        assertEquals(Long.MAX_VALUE, clocks.minBelow(0, 0));
        assertEquals(-1, clocks.minBelow(0, 1));
    }

    @Test
    void anExcusedWorkerHasPushedAllRoundsButCountsWithItsOwn() {
        SliceClocks clocks = new SliceClocks(2, 3, -1);
        clocks.raise(0, 0, 7);
        clocks.raise(0, 1, 9);
        clocks.excuse(0, 1);
        clocks.excuse(0, 1);
        clocks.excuse(0, 2);
        assertEquals(7, clocks.min(0));
        assertEquals(-1, clocks.min(1));
        assertEquals(8 + 10 + 6, clocks.roundsPushed(0, 5));
        assertEquals(8 + 12 + 12, clocks.roundsPushed(0, 11));
        clocks.raise(0, 2, 8);
        assertEquals(8 + 12 + 12, clocks.roundsPushed(0, 11), "a late push changes nothing");
    }

    @Test
    void aTableTooLargeToCountIsRefused() {
        assertThrows(ArithmeticException.class, () -> new SliceClocks(1 << 20, 1 << 12, -1));
    }

    @Test
    void answersLikeATableOfNumbers() {
        Property.holds(300, random -> {
            int slices = random.nextInt(1, 6);
            int workers = random.nextInt(1, 6);
            SliceClocks clocks = new SliceClocks(slices, workers, -1);
            long[][] expected = new long[slices][workers];
            Arrays.stream(expected).forEach(row -> Arrays.fill(row, -1));
            for (int i = 0; i < 50; i++) {
                int slice = random.nextInt(slices);
                int worker = random.nextInt(workers);
                long round = random.nextLong(0, 20);
                clocks.raise(slice, worker, round);
                expected[slice][worker] = Math.max(expected[slice][worker], round);
            }
            for (int slice = 0; slice < slices; slice++) {
                for (int worker = 0; worker < workers; worker++) {
                    assertEquals(expected[slice][worker], clocks.get(slice, worker));
                    long below = Arrays.stream(expected[slice], 0, worker).min().orElse(Long.MAX_VALUE);
                    assertEquals(below, clocks.minBelow(slice, worker));
                }
                assertEquals(Arrays.stream(expected[slice]).min().orElseThrow(), clocks.min(slice));
                assertEquals(Arrays.stream(expected[slice]).sum() + workers, clocks.roundsPushed(slice, 0));
            }
        });
    }
}
