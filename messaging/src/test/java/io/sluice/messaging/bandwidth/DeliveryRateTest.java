package io.sluice.messaging.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.Property;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryRateTest {
    private static final long WINDOW = 2 << 20;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final double MBIT = 125_000;

    @Test
    void knowsNothingBeforeTheFirstSample() {
        DeliveryRate rate = new DeliveryRate();
        rate.onPositions(0, 1_000, 0, false);
        assertFalse(rate.isKnown());
        assertEquals(0, rate.bytesPerSecond());
        assertEquals(Long.MAX_VALUE, rate.ageNs(SECOND));
    }

    @Test
    void meetsTheRateOfABusyLink() {
        Property.holds(60, random -> {
            double capacity = random.nextDouble(10, 2_000) * MBIT;
            Bottleneck link = new Bottleneck(random, capacity, WINDOW);
            link.cross = random.nextBoolean() ? 0 : capacity * random.nextDouble(0.8);
            link.jitterNs = 1_000_000;
            DeliveryRate rate = new DeliveryRate();
            link.run(settling(capacity - link.cross), rate);
            assertNear(capacity - link.cross, rate, 0.06);
        });
    }

    @Test
    void isNotFooledByAReceiverThatStalls() {
        Property.holds(40, random -> {
            double capacity = random.nextDouble(50, 1_000) * MBIT;
            Bottleneck link = new Bottleneck(random, capacity, WINDOW);
            link.jitterNs = 500_000;
            DeliveryRate rate = new DeliveryRate();
            link.run(settling(capacity), rate);
            for (int i = 0; i < 8; i++) {
                link.stallReceiver(random.nextLong(20_000_000, 200_000_000));
                link.run(random.nextLong(300_000_000, 700_000_000), rate);
                assertTrue(rate.bytesPerSecond() < 1.06 * capacity, () -> off(capacity, rate));
            }
        });
    }

    @Test
    void anApplicationThatOffersLessDoesNotLowerTheEstimate() {
        Property.holds(40, random -> {
            double capacity = random.nextDouble(20, 1_000) * MBIT;
            Bottleneck link = new Bottleneck(random, capacity, WINDOW);
            DeliveryRate rate = new DeliveryRate();
            link.run(settling(capacity), rate);
            for (int i = 0; i < 5; i++) {
                link.offered = capacity * random.nextDouble(0.05, 0.9);
                link.run(random.nextLong(3 * SECOND), rate);
                assertNear(capacity, rate, 0.06);
            }
        });
    }

    @Test
    void anApplicationThatNeverFillsTheLinkGivesALowerBound() {
        Property.holds(40, random -> {
            double capacity = random.nextDouble(50, 1_000) * MBIT;
            Bottleneck link = new Bottleneck(random, capacity, WINDOW);
            link.offered = capacity * random.nextDouble(0.1, 0.8);
            DeliveryRate rate = new DeliveryRate();
            link.run(settling(link.offered), rate);
            assertTrue(rate.isKnown());
            assertTrue(rate.bytesPerSecond() < 1.03 * capacity, () -> off(capacity, rate));
            assertTrue(rate.bytesPerSecond() > 0.8 * link.offered, () -> off(link.offered, rate));
        });
    }

    @Test
    void knowsWhetherThePathWasEverTheLimit() {
        Property.holds(40, random -> {
            double capacity = random.nextDouble(50, 1_000) * MBIT;
            Bottleneck link = new Bottleneck(random, capacity, WINDOW);
            link.offered = capacity * random.nextDouble(0.1, 0.8);
            DeliveryRate rate = new DeliveryRate();
            link.run(settling(link.offered), rate);
            assertTrue(rate.isKnown());
            assertFalse(rate.isBounded());
            link.offered = Double.MAX_VALUE;
            link.run(settling(capacity), rate);
            assertTrue(rate.isBounded());
            rate.clear();
            assertFalse(rate.isBounded());
        });
    }

    /** A receiver that is not ready yet takes a few bytes slowly, and is not a slow path. */
    @ParameterizedTest
    @CsvSource({"1, false", "4, false", "5, true", "9, true"})
    void aFewSamplesAtTheStartSayNothingOfThePath(int ofThePath, boolean bounded) {
        DeliveryRate rate = new DeliveryRate();
        rate.onPositions(0, 0, 0, false);
        long position = 0;
        for (int i = 1; i <= 40; i++) {
            position += 10_000 + i; // ever faster, so that all samples count
            rate.onPositions(i * DeliveryRate.MIN_SAMPLE_NS, position, position, i >= ofThePath);
            assertEquals(bounded && i >= 5, rate.isBounded(), "after " + i);
        }
        assertEquals(40, rate.samplesTaken());
        assertEquals(
                bounded ? (40 - ofThePath) * DeliveryRate.MIN_SAMPLE_NS : Long.MAX_VALUE,
                rate.boundedAgeNs(40 * DeliveryRate.MIN_SAMPLE_NS));
    }

    /**
     * A window is large: until it closes, only acknowledgements show that a path is slower than the pacing.
     */
    @ParameterizedTest
    @CsvSource({"3, true", "2, true", "1.2, false", "1, false"})
    void pacingAboveTheRateOfThePathMeasuresThePath(double faster, boolean bounded) {
        long rate = 1_000_000;
        DeliveryRate learnt = new DeliveryRate();
        double sent = 0;
        double acknowledged = 0;
        for (int ms = 0; ms < 3_000; ms++) {
            boolean pushes = ms % 200 < 100; // then the path catches up, and all waits for the next clock
            sent += pushes ? faster * rate / 1e3 : 0;
            acknowledged = Math.min(sent, acknowledged + rate / 1e3);
            boolean idle = !pushes && acknowledged >= sent;
            learnt.onPositions(ms * 1_000_000L, (long) sent, (long) acknowledged, idle, !idle);
        }
        assertEquals(bounded, learnt.isBounded());
        assertEquals(rate, learnt.bytesPerSecond(), 0.1 * rate);
    }

    /** After a pause without calls the times at which the path was idle are unknown. */
    @Test
    void whatWasAcknowledgedUnseenSaysNothing() {
        Property.holds(40, random -> {
            double perStep = random.nextDouble(50, 1_000) * MBIT / 1_000;
            DeliveryRate rate = new DeliveryRate();
            long nowNs = 0;
            double position = 0;
            for (int burst = 0; burst < 20; burst++) {
                for (int i = 0; i < 500; i++) {
                    nowNs += SECOND / 1_000;
                    position += perStep;
                    rate.onPositions(nowNs, (long) position, (long) position, false);
                }
                nowNs += random.nextLong(SECOND, 10 * SECOND);
                position += perStep * random.nextDouble(0.1, 100);
                rate.onGap(nowNs, (long) position, (long) position, false, false);
            }
            assertNear(perStep * 1_000, rate, 0.01);
        });
    }

    @Test
    void followsTheLinkDownAndUp() {
        Property.holds(30, random -> {
            double capacity = random.nextDouble(50, 1_000) * MBIT;
            Bottleneck link = new Bottleneck(random, capacity, WINDOW);
            link.jitterNs = 500_000;
            DeliveryRate rate = new DeliveryRate();
            for (int i = 0; i < 4; i++) {
                link.cross = capacity * random.nextDouble(0.9);
                link.run(settling(capacity - link.cross), rate);
                assertNear(capacity - link.cross, rate, 0.06);
            }
        });
    }

    @Test
    void samplingAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Bottleneck link = new Bottleneck(new SplittableRandom(1), 1_000 * MBIT, WINDOW);
        DeliveryRate rate = new DeliveryRate();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 50 && least > 0; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            link.run(2 * SECOND, rate);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
        assertTrue(rate.samplesTaken() > 30);
    }

    /** Time for twelve samples, each of at least a quarter window. */
    private static long settling(double bytesPerSecond) {
        long step = (long) (WINDOW / 4 * 1e9 / bytesPerSecond);
        return 12 * (step + DeliveryRate.MIN_SAMPLE_NS) + (long) (2 * WINDOW * 1e9 / bytesPerSecond);
    }

    private static void assertNear(double expected, DeliveryRate rate, double tolerance) {
        assertEquals(1, rate.bytesPerSecond() / expected, tolerance, () -> off(expected, rate));
    }

    private static String off(double expected, DeliveryRate rate) {
        return "estimated " + rate.bytesPerSecond() + " bytes/s after " + rate.samplesTaken()
                + " samples, the link has " + (long) expected;
    }
}
