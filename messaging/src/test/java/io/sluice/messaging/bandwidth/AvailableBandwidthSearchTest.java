package io.sluice.messaging.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.messaging.bandwidth.AvailableBandwidth.End;
import io.sluice.messaging.bandwidth.AvailableBandwidthSearch.Limits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AvailableBandwidthSearchTest {
    private static final double MBIT = 125_000;
    private static final Limits PATIENT = new Limits(1L << 30, TimeUnit.MINUTES.toNanos(2), 1.25e9, 0.1, 10);

    /** Estimates of random paths. A trend in random delays misleads a search now and then, but never far. */
    private static final class Estimates {
        private static final double FAR = 0.6;
        private static final double SHARE_CLOSE = 0.85;

        private final List<String> missed = new ArrayList<>();
        private int searches;

        void add(AvailableBandwidth found, double truth, double tolerance) {
            searches++;
            String seen = truth + " bytes/s: " + found;
            assertEquals(1, found.estimate() / truth, FAR, seen);
            if (Math.abs(found.estimate() / truth - 1) > tolerance) {
                missed.add(seen);
            }
        }

        void requireNearlyAllClose() {
            assertTrue(missed.size() <= (1 - SHARE_CLOSE) * searches, () -> missed.size() + " missed: " + missed);
        }
    }

    @Test
    void findsWhatAnIdleLinkCarries() {
        Estimates estimates = new Estimates();
        Property.holds(40, random -> {
            double capacity = random.nextDouble(5, 1_000) * MBIT;
            AvailableBandwidth found = search(new SimulatedPath(random, capacity), PATIENT);
            assertEquals(End.RESOLVED, found.end());
            estimates.add(found, capacity, 0.15);
        });
        estimates.requireNearlyAllClose();
    }

    @Test
    void findsWhatCrossTrafficLeaves() {
        Estimates estimates = new Estimates();
        Property.holds(40, random -> {
            double capacity = random.nextDouble(20, 1_000) * MBIT;
            SimulatedPath path = new SimulatedPath(random, capacity);
            path.cross = capacity * random.nextDouble(0.1, 0.6);
            AvailableBandwidth found = search(path, PATIENT);
            estimates.add(found, capacity - path.cross, 0.2);
        });
        estimates.requireNearlyAllClose();
    }

    @Test
    void isNotFooledByATokenBucket() {
        Estimates estimates = new Estimates();
        Property.holds(40, random -> {
            double capacity = random.nextDouble(10, 1_000) * MBIT;
            SimulatedPath path = new SimulatedPath(random, capacity);
            path.bucket = Math.max(16_384, capacity * 0.002);
            path.cross = random.nextBoolean() ? 0 : capacity * random.nextDouble(0.5);
            AvailableBandwidth found = search(path, PATIENT);
            estimates.add(found, capacity - path.cross, 0.2);
        });
        estimates.requireNearlyAllClose();
    }

    @Test
    void seesAShallowQueueByItsLosses() {
        Estimates estimates = new Estimates();
        Property.holds(20, random -> {
            double capacity = random.nextDouble(20, 500) * MBIT;
            SimulatedPath path = new SimulatedPath(random, capacity);
            path.queueLimit = 20_000;
            AvailableBandwidth found = search(path, PATIENT);
            estimates.add(found, capacity, 0.2);
        });
        estimates.requireNearlyAllClose();
    }

    @Test
    void sendsNoMoreThanItMay() {
        Property.holds(20, random -> {
            SimulatedPath path = new SimulatedPath(random, random.nextDouble(5, 2_000) * MBIT);
            long bytes = random.nextLong(StreamShape.MOST_BYTES, 40_000_000);
            AvailableBandwidth found = search(path, new Limits(bytes, Long.MAX_VALUE, 1.25e9, 0.05, 12));
            assertTrue(path.sentBytes <= bytes);
            assertEquals(path.sentBytes, found.bytes());
            assertTrue(found.low() < found.high());
        });
    }

    @Test
    void saysIfNothingWasTooMuch() {
        SimulatedPath path = new SimulatedPath(new SplittableRandom(5), 1_000 * MBIT);
        double ceiling = 100 * MBIT;
        AvailableBandwidth found = search(path, new Limits(1L << 30, Long.MAX_VALUE, ceiling, 0.1, 10));
        assertEquals(End.UNBOUNDED, found.end());
        assertEquals(ceiling, found.high());
    }

    @Test
    void endsInTime() {
        SimulatedPath path = new SimulatedPath(new SplittableRandom(3), 10 * MBIT);
        long allowed = TimeUnit.SECONDS.toNanos(1);
        AvailableBandwidth found = search(path, new Limits(1L << 30, allowed, 1.25e9, 0.1, 10));
        assertEquals(End.OUT_OF_TIME, found.end());
        assertTrue(found.durationNs() < 2 * allowed);
    }

    @Test
    void givesUpWithoutAnAnswer() {
        SimulatedPath path = new SimulatedPath(new SplittableRandom(3), 10 * MBIT);
        path.silent = true;
        AvailableBandwidth found = search(path, PATIENT);
        assertEquals(End.UNANSWERED, found.end());
        assertEquals(2, found.streams());
        assertFalse(found.isKnown());
    }

    @Test
    void streamsHaveTheirRate() {
        Property.holds(500, random -> {
            double rate = Math.exp(random.nextDouble(Math.log(1 * MBIT), Math.log(10_000 * MBIT)));
            int longest = random.nextBoolean() ? 1_452 : 8_952;
            StreamShape shape = StreamShape.ofRate(rate, longest);
            assertEquals(1, shape.bytesPerSecond() / rate, 0.01, shape::toString);
            assertTrue(shape.length() >= 200 && shape.length() <= longest);
            assertTrue(shape.steps() <= ProbeDatagram.MAX_STEPS && shape.parts() <= ProbeDatagram.MAX_PARTS);
            assertTrue(shape.wireBytes() < 2.2 * StreamShape.MOST_BYTES);
        });
    }

    private static AvailableBandwidth search(SimulatedPath path, Limits limits) {
        try {
            return AvailableBandwidthSearch.search(path, limits);
        } catch (IOException e) {
            throw new AssertionError("a simulated path fails", e);
        }
    }
}
