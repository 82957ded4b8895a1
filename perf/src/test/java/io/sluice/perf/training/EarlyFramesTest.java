package io.sluice.perf.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class EarlyFramesTest {
    private static final double EXACT = 1e-12;

    @Test
    void slicesThatAreSentAlikeHaveTheirShareOfTheSends() {
        long[] alike = new long[7];
        Arrays.fill(alike, 3);
        assertArrayEquals(EarlyFrames.parts(), EarlyFrames.shares(alike), EXACT);
    }

    /** Half of the first slice belongs to the first twentieth. */
    @Test
    void theSlicesSentMostOftenComeFirst() {
        double[] shares = EarlyFrames.shares(new long[] {0, 2, 0, 0, 0, 8, 0, 0, 0, 0});
        assertEquals(EarlyFrames.PARTS + 1, shares.length);
        assertArrayEquals(new double[] {0, 0.4, 0.8, 0.9, 1, 1}, Arrays.copyOf(shares, 6), EXACT);
        assertEquals(1, shares[EarlyFrames.PARTS], EXACT);
    }

    @Test
    void nothingSentHasNoShares() {
        assertEquals(0, EarlyFrames.shares(new long[3]).length);
    }
}
