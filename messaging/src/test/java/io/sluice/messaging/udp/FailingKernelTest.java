package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.AeronCounters;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stream stays whole while the kernel fails calls at random. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class FailingKernelTest {
    private static final int MESSAGES = 400;
    private static final int LENGTH = 60_000;

    /** Fails one call of five, sends some batches in part, and at some point refuses a train. */
    private static final class Failing extends Kernel {
        private static final int FAILURES = 5;
        private static final int TRAINS_BEFORE_REFUSAL = 40;

        private final Random random;
        private final AtomicInteger parts;
        private int trains;

        Failing(long seed, AtomicInteger parts) {
            random = new Random(seed);
            this.parts = parts;
        }

        @Override
        public int send(int descriptor, long headers, int count) {
            if (count > 0 && isTrain(headers) && ++trains == TRAINS_BEFORE_REFUSAL) {
                return -EIO;
            }
            return switch (count == 0 ? FAILURES : random.nextInt(FAILURES)) {
                case 0 -> random.nextBoolean() ? -EAGAIN : -EINTR;
                case 1 -> sendOne(descriptor, headers, count);
                default -> super.send(descriptor, headers, count);
            };
        }

        private int sendOne(int descriptor, long headers, int count) {
            int sent = super.send(descriptor, headers, 1);
            if (sent == 1 && count > 1) {
                parts.incrementAndGet();
            }
            return sent;
        }

        @Override
        public int receive(int descriptor, long headers, int count) {
            return switch (random.nextInt(FAILURES)) {
                case 0 -> random.nextBoolean() ? -EAGAIN : -EINTR;
                case 1 -> super.receive(descriptor, headers, 1);
                default -> super.receive(descriptor, headers, count);
            };
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GSO", "MMSG"})
    void everythingArrivesAsItWasSent(UdpBatch mode) {
        long seed = System.nanoTime();
        System.out.println("seed of the failures: " + seed);
        AtomicInteger parts = new AtomicInteger();
        try (Loopback loopback = new Loopback(mode, () -> new Failing(seed, parts))) {
            loopback.exchange(MESSAGES, LENGTH);
            loopback.exchange(MESSAGES, 64);
            assertTrue(loopback.value(CounterType.DRIVER_SEND_FAILURES) > 0, "some batches were not taken");
            assertTrue(parts.get() > 0, "some batches were sent in part");
            assertEquals(parts.get(), loopback.value(CounterType.DRIVER_SEND_FAILURES, "sent in part"));
            assertTrue(loopback.value(AeronCounters.SYSTEM_COUNTER_ID_SHORT_SENDS) > 0, "Aeron offered them again");
            assertTrue(loopback.value(AeronCounters.SYSTEM_COUNTER_ID_BYTES_SENT) >= (long) MESSAGES * LENGTH);
            assertTrue(loopback.value(AeronCounters.SYSTEM_COUNTER_ID_BYTES_RECEIVED) >= (long) MESSAGES * LENGTH);
            assertEquals(mode == UdpBatch.GSO ? 1 : 0, loopback.errors.size(), loopback.errors.toString());
        }
    }
}
