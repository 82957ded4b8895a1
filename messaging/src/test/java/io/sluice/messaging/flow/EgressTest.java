package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EgressTest {
    private static final long SEED = 5;
    private static final long RATE = 100_000_000;
    private static final double BYTES_PER_NS = RATE / 8e9;
    private static final int MTU = 1_408;
    private static final double SCALE = 1_450.0 / MTU;

    @Test
    void withoutARateNothingIsBounded() {
        assertFalse(new Egress(0).isBounded());
        assertTrue(new Egress(RATE).isBounded());
    }

    @Test
    void aTurnIsAFractionOfAMillisecondButTwoDatagramsAtLeast() {
        assertEquals(2 * MTU, new Egress(1_000_000).turn(MTU));
        int turn = new Egress(10 * RATE).turn(MTU);
        assertTrue(turn > 2 * MTU && turn < RATE * 10 / 8 / 1_000, () -> "turn of " + turn);
    }

    /** However often it is asked, what goes out is the rate and a little, after a burst of two milliseconds. */
    @Test
    void whatGoesOutKeepsToTheRate() {
        SplittableRandom random = new SplittableRandom(SEED);
        Egress egress = new Egress(RATE);
        long beganNs = random.nextLong();
        long nowNs = beganNs;
        double taken = 0;
        for (int i = 0; i < 100_000; i++) {
            nowNs += random.nextInt(200_000);
            taken += egress.take(nowNs, random.nextInt(1, 9_000), SCALE) * SCALE;
            double most = ((nowNs - beganNs) + TimeUnit.MILLISECONDS.toNanos(3)) * 1.06 * BYTES_PER_NS + 9_000;
            double sum = taken;
            assertTrue(sum <= most, () -> "seed " + SEED + ": " + sum + " bytes where " + most + " were to be had");
        }
    }

    /** A stream that always wants more gets all of the rate, in parts however small. */
    @Test
    void nothingOfTheRateIsLost() {
        Egress egress = new Egress(RATE);
        long nowNs = 0;
        double taken = 0;
        for (int i = 0; i < 100_000; i++) {
            nowNs += 50_000;
            taken += egress.take(nowNs, 2 * MTU, SCALE) * SCALE;
        }
        double share = taken / (nowNs * BYTES_PER_NS);
        assertTrue(share > 1.0 && share < 1.06, () -> "share of the rate: " + share);
    }
}
