package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketTest {
    private static final BigInteger BIT_NANOS = BigInteger.valueOf(8_000_000_000L);

    private record Sent(long atNs, int bytes) {}

    /** No span of time has more bytes than the rate allows in it plus one burst: exactly, in whole numbers. */
    @Test
    void noWindowHoldsMoreThanRateAndBurst() {
        Property.holds(200, random -> {
            long rate = rate(random);
            int burst = random.nextInt(1, 1 << random.nextInt(1, 20));
            TokenBucket bucket = new TokenBucket(rate, burst);
            long nowNs = random.nextLong(); // any origin, also one at which the time wraps
            long origin = nowNs;
            List<Sent> sent = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                int bytes = random.nextInt(1, burst + 1);
                nowNs += pause(random, bucket, bytes, nowNs);
                if (bucket.admits(bytes, nowNs)) {
                    bucket.take(bytes, nowNs);
                    sent.add(new Sent(nowNs - origin, bytes));
                }
            }
            requireWithin(sent, rate, burst);
        });
    }

    /** The bucket counts the bytes taken less those refilled. */
    @Test
    void countsWhatIsNotRefilled() {
        Property.holds(200, random -> {
            long rate = rate(random);
            int burst = random.nextInt(10, 1 << random.nextInt(5, 20));
            TokenBucket bucket = new TokenBucket(rate, burst);
            long nowNs = random.nextLong();
            double level = 0;
            for (int i = 0; i < 100; i++) {
                long passedNs = random.nextLong(1 + (long) (burst * 8e9 / rate));
                nowNs += passedNs;
                level = Math.max(0, level - passedNs / 8e9 * rate);
                assertEquals(level, bucket.taken(nowNs), 2 + rate / 8e9);
                int bytes = random.nextInt(1, burst + 1);
                if (bucket.admits(bytes, nowNs)) {
                    bucket.take(bytes, nowNs);
                    level += bytes;
                    assertTrue(bucket.taken(nowNs) <= burst);
                }
            }
        });
    }

    private static long rate(SplittableRandom random) {
        double exponent = random.nextDouble(3, 11);
        return Math.clamp((long) Math.pow(10, exponent), 1_000, 100_000_000_000L);
    }

    private static long pause(SplittableRandom random, TokenBucket bucket, int bytes, long nowNs) {
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
        TokenBucket bucket = new TokenBucket(rate, 4 * 65_536);
        SplittableRandom random = new SplittableRandom(rate);
        long nowNs = -5;
        long bytes = 0;
        for (int i = 0; i < 200_000; i++) {
            int frame = random.nextInt(64, 65_537);
            long waitNs = bucket.waitNs(frame, nowNs);
            nowNs += Math.max(0, waitNs) + random.nextLong(100); // the sender looks a little late
            assertTrue(bucket.admits(frame, nowNs), "the wait was too short");
            bucket.take(frame, nowNs);
            bytes += frame;
        }
        BigDecimal ideal = BigDecimal.valueOf(rate).multiply(BigDecimal.valueOf(nowNs + 5));
        double reached = BigDecimal.valueOf(bytes).doubleValue() * 8e9 / ideal.doubleValue();
        assertEquals(1, reached, 1e-3);
    }

    @Test
    void theWaitIsTheShortest() {
        Property.holds(100, random -> {
            TokenBucket bucket = new TokenBucket(rate(random), 100_000);
            long nowNs = random.nextLong();
            for (int i = 0; i < 50; i++) {
                int bytes = random.nextInt(4) == 0 ? 100_000 : random.nextInt(1, 100_001);
                long waitNs = bucket.waitNs(bytes, nowNs);
                if (waitNs > 0) {
                    assertFalse(bucket.admits(bytes, nowNs + waitNs - 1));
                    nowNs += waitNs;
                }
                assertTrue(bucket.admits(bytes, nowNs));
                bucket.take(bytes, nowNs);
            }
        });
    }

    /** The rates include some at which a burst takes no whole number of nanoseconds. */
    @Test
    void aWholeBurstFitsAFullBucket() {
        Property.holds(300, random -> {
            int burst = random.nextInt(1, 1 << 28);
            TokenBucket bucket = new TokenBucket(rate(random), burst);
            assertTrue(bucket.admits(burst, 0));
            bucket.take(burst, 0);
            assertTrue(bucket.admits(burst, bucket.waitNs(burst, 0)));
            assertFalse(bucket.admits(burst + 1, Long.MAX_VALUE / 2), "what is longer never fits");
        });
    }

    @Test
    void aBurstIsAdmittedAtOnceAndThenTheRate() {
        TokenBucket bucket = new TokenBucket(8_000, 1_000); // a byte a millisecond
        assertTrue(bucket.admits(1_000, 0));
        bucket.take(1_000, 0);
        assertEquals(1_000_000, bucket.waitNs(1, 0));
        assertEquals(1_000_000_000, bucket.waitNs(1_000, 0));
        assertTrue(bucket.admits(1_000, 1_000_000_000));
    }

    /** A caller gets no more than the rate after one burst, however often and however much it asks for. */
    @Test
    void whatIsAvailableKeepsToTheRate() {
        Property.holds(20, random -> {
            TokenBucket bucket = new TokenBucket(100_000_000, 25_000);
            long beganNs = random.nextLong();
            long nowNs = beganNs;
            long taken = 0;
            for (int i = 0; i < 5_000; i++) {
                nowNs += random.nextInt(200_000);
                taken += bucket.takeAvailable(random.nextInt(9_000), nowNs);
                long most = 25_000 + (nowNs - beganNs) / 80 + 1;
                assertTrue(taken <= most, taken + " bytes, allowed are " + most);
            }
        });
    }

    /** A caller that always asks for more gets the whole rate, in parts of any size. */
    @ParameterizedTest
    @ValueSource(longs = {10, 1_000, 50_000})
    void nothingOfTheRateIsLost(long stepNs) {
        TokenBucket bucket = new TokenBucket(100_000_000, 25_000);
        long nowNs = 0;
        long taken = -25_000;
        for (int i = 0; i < 100_000; i++) {
            nowNs += stepNs;
            taken += bucket.takeAvailable(3_000, nowNs);
        }
        while (bucket.takeAvailable(1, nowNs) > 0) {
            taken++;
        }
        assertEquals((nowNs - stepNs) / 80.0, taken, 2, "since the first call");
    }
}
