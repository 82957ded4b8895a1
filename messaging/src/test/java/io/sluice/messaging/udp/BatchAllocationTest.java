package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The thread of a driver allocates nothing for what it sends and receives. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class BatchAllocationTest {
    private static final int WARM_UP = 4_000;
    private static final int BATCHES = 5;
    private static final int MEASURED = 1_000;

    /** The JVM's own bookkeeping may show up once, not per datagram. */
    private static final long SLACK_BYTES = 4_000;

    @ParameterizedTest
    @CsvSource({"GSO, 60000", "MMSG, 60000", "GSO, 64"})
    void nothingIsAllocated(UdpBatch rung, int length) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemorySupported());
        threads.setThreadAllocatedMemoryEnabled(true);
        try (Loopback loopback = new Loopback(rung, LinuxSockets::new)) {
            loopback.exchange(WARM_UP, length);
            long least = Long.MAX_VALUE; // on a busy machine compilers, which allocate a little, are late
            for (int batch = 0; batch < BATCHES && least >= SLACK_BYTES; batch++) {
                long before = loopback.allocated();
                loopback.exchange(MEASURED, length);
                least = Math.min(least, loopback.allocated() - before);
            }
            assertTrue(least < SLACK_BYTES, "each " + MEASURED + " messages allocated " + least + " bytes");
        }
    }
}
