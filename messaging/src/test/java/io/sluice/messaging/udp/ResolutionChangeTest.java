package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.exceptions.AeronException;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The name of a receiver resolves to another address while a publication sends. */
@EnabledOnOs(OS.LINUX)
@Timeout(180)
class ResolutionChangeTest {
    private static final int LENGTH = 60_000;
    private static final String NAME = "receiver:1";

    private int sends;
    private int trains;
    private boolean isRefused;

    private final class Counting extends Kernel {
        @Override
        public int send(int descriptor, long headers, int count) {
            if (count > 0) {
                sends++;
                trains += isTrain(headers) ? 1 : 0;
                if (isRefused && isTrain(headers)) {
                    return -EIO;
                }
            }
            return super.send(descriptor, headers, count);
        }
    }

    @Test
    void aSocketThatIsNotConnectedIsLeftToAeron() {
        try (Loopback loopback = new Loopback(UdpBatch.GSO, Counting::new)) {
            loopback.exchange(2, LENGTH);
            InetSocketAddress nowhere = InetSocketAddress.createUnresolved("receiver", 1);
            assertThrows(AeronException.class, () -> loopback.endpoint().resolutionChange(NAME, nowhere));
            int before = sends;
            loopback.cycles(20, LENGTH);
            assertEquals(before, sends);
            assertEquals(0, loopback.errors.size(), loopback.errors.toString());
            loopback.endpoint().resolutionChange(NAME, loopback.address());
            loopback.exchange(2, LENGTH);
            assertTrue(sends > before, "batches are sent again");
        }
    }

    @Test
    void anotherPathIsTriedWithTrains() {
        try (Loopback loopback = new Loopback(UdpBatch.GSO, Counting::new)) {
            isRefused = true;
            loopback.exchange(2, LENGTH);
            assertEquals(1, trains);
            isRefused = false;
            loopback.endpoint().resolutionChange(NAME, loopback.address());
            loopback.exchange(2, LENGTH);
            assertTrue(trains > 1, "trains are sent again");
        }
    }
}
