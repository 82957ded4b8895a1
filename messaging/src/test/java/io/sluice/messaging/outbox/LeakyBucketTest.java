package io.sluice.messaging.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.Property;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeakyBucketTest {
    private static final BigInteger BIT_NANOS = BigInteger.valueOf(8_000_000_000L);

    private record Sent(long atNs, int bytes) {}

    /** In no window is there more than the rate allows in its time, and one burst: exactly, in whole numbers. */
    @Test
    void noWindowHoldsMoreThanRateAndBurst() {
        Property.holds(200, random -> {
            long rate = rate(random);
            int burst = random.nextInt(1, 1 << random.nextInt(1, 20));
            LeakyBucket bucket = new LeakyBucket(rate, burst);
            long nowNs = random.nextLong(); // any origin, also one at which the time wraps
            long origin = nowNs;
            List<Sent> sent = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                int bytes = random.nextInt(1, burst + 1);
                nowNs += pause(random, bucket, bytes, nowNs);
                if (bucket.admits(bytes, nowNs)) {
                    bucket.add(bytes, nowNs);
                    sent.add(new Sent(nowNs - origin, bytes));
                }
            }
            requireWithin(sent, rate, burst);
        });
    }

    /** The level is what went in less what leaked. */
    @Test
    void holdsWhatHasNotLeaked() {
        Property.holds(200, random -> {
            long rate = rate(random);
            int burst = random.nextInt(10, 1 << random.nextInt(5, 20));
            LeakyBucket bucket = new LeakyBucket(rate, burst);
            long nowNs = random.nextLong();
            double level = 0;
            for (int i = 0; i < 100; i++) {
                long passedNs = random.nextLong(1 + (long) (burst * 8e9 / rate));
                nowNs += passedNs;
                level = Math.max(0, level - passedNs / 8e9 * rate);
                assertEquals(level, bucket.level(nowNs), 2 + rate / 8e9);
                int bytes = random.nextInt(1, burst + 1);
                if (bucket.admits(bytes, nowNs)) {
                    bucket.add(bytes, nowNs);
                    level += bytes;
                    assertTrue(bucket.level(nowNs) <= burst);
                }
            }
        });
    }

    private static long rate(SplittableRandom random) {
        double exponent = random.nextDouble(3, 11);
        return Math.clamp((long) Math.pow(10, exponent), LeakyBucket.MIN_RATE, LeakyBucket.MAX_RATE);
    }

    private static long pause(SplittableRandom random, LeakyBucket bucket, int bytes, long nowNs) {
        long waitNs = Math.max(0, bucket.waitNs(bytes, nowNs));
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> waitNs;
            case 2 -> random.nextLong(waitNs + 2);
            default -> waitNs + random.nextLong(1_000_000);
        };
    }

    private static void requireWithin(List<Sent> sent, long rate, int burst) {
        for (int from = 0; from < sent.size(); from++) {
            long bytes = 0;
            for (int to = from; to < sent.size(); to++) {
                bytes += sent.get(to).bytes;
                long spanNs = sent.get(to).atNs - sent.get(from).atNs;
                BigInteger allowed = BigInteger.valueOf(rate)
                        .multiply(BigInteger.valueOf(spanNs))
                        .add(BigInteger.valueOf(burst).multiply(BIT_NANOS));
                BigInteger used = BigInteger.valueOf(bytes).multiply(BIT_NANOS);
                assertTrue(
                        used.compareTo(allowed) <= 0,
                        bytes + " bytes in " + spanNs + " ns at " + rate + " bit/s with a burst of " + burst);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 56_000, 999_983, 10_000_000, 1_000_000_007, 40_000_000_000L, 100_000_000_000L})
    void inTheLongRunTheRateIsReached(long rate) {
        LeakyBucket bucket = new LeakyBucket(rate, 4 * 65_536);
        SplittableRandom random = new SplittableRandom(rate);
        long nowNs = -5;
        long bytes = 0;
        for (int i = 0; i < 200_000; i++) {
            int frame = random.nextInt(64, 65_537);
            long waitNs = bucket.waitNs(frame, nowNs);
            nowNs += Math.max(0, waitNs) + random.nextLong(100); // who looks is late
            assertTrue(bucket.admits(frame, nowNs), "the wait was too short");
            bucket.add(frame, nowNs);
            bytes += frame;
        }
        BigDecimal ideal = BigDecimal.valueOf(rate).multiply(BigDecimal.valueOf(nowNs + 5));
        double reached = BigDecimal.valueOf(bytes).doubleValue() * 8e9 / ideal.doubleValue();
        assertEquals(1, reached, 1e-3);
    }

    @Test
    void theWaitIsTheShortest() {
        Property.holds(100, random -> {
            LeakyBucket bucket = new LeakyBucket(rate(random), 100_000);
            long nowNs = random.nextLong();
            for (int i = 0; i < 50; i++) {
                int bytes = random.nextInt(4) == 0 ? 100_000 : random.nextInt(1, 100_001);
                long waitNs = bucket.waitNs(bytes, nowNs);
                if (waitNs > 0) {
                    assertFalse(bucket.admits(bytes, nowNs + waitNs - 1));
                    nowNs += waitNs;
                }
                assertTrue(bucket.admits(bytes, nowNs));
                bucket.add(bytes, nowNs);
            }
        });
    }

    /** Also at rates at which it takes no whole number of nanoseconds. */
    @Test
    void whatFillsTheBucketFitsAnEmptyOne() {
        Property.holds(300, random -> {
            int burst = random.nextInt(1, LeakyBucket.MAX_BURST);
            LeakyBucket bucket = new LeakyBucket(rate(random), burst);
            assertTrue(bucket.admits(burst, 0));
            bucket.add(burst, 0);
            assertTrue(bucket.admits(burst, bucket.waitNs(burst, 0)));
            assertFalse(bucket.admits(burst + 1, Long.MAX_VALUE / 2), "what is longer never fits");
        });
    }

    @Test
    void aBurstGoesAtOnceAndThenAtTheRate() {
        LeakyBucket bucket = new LeakyBucket(8_000, 1_000); // a byte a millisecond
        assertTrue(bucket.admits(1_000, 0));
        bucket.add(1_000, 0);
        assertEquals(1_000_000, bucket.waitNs(1, 0));
        assertEquals(1_000_000_000, bucket.waitNs(1_000, 0));
        assertTrue(bucket.admits(1_000, 1_000_000_000));
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        assertEquals(
                "budget rate is 999, expected 1000 to 100000000000 bits per second",
                assertThrows(IllegalArgumentException.class, () -> new LeakyBucket(999, 1))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> new LeakyBucket(100_000_000_001L, 1));
        assertEquals(
                "budget burst is 0, expected 1 to 268435456 bytes",
                assertThrows(IllegalArgumentException.class, () -> new LeakyBucket(1_000, 0))
                        .getMessage());
    }

    @Test
    void budgetsAreReadByTheirRate() {
        assertEquals(Budget.NONE, Budget.parse("link budget", "none", 5));
        assertEquals(new Budget(200_000_000, 7), Budget.parse("link budget", "200mbit", 7));
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> Budget.parse("link budget", "0bit", 7));
        assertTrue(refusal.getMessage().contains("link budget"), refusal.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Budget.parse("link budget", "fast", 7));
    }
}
