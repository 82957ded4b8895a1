package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.messaging.Subprocess;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The thread of a driver allocates nothing for a datagram that it sends or receives. It is measured in a JVM of its
 * own, as a driver runs.
 *
 * <p>A system call may allocate: the JDK wraps the memory for the error number of each call, and in some runs the
 * compiler does not eliminate the object. That is less than 300 bytes for a message of 43 datagrams.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class BatchAllocationTest {
    private static final int WARM_UP = 4_000;
    private static final int BATCHES = 5;
    private static final int MEASURED = 1_000;

    /** The JVM's own bookkeeping may show up once, not per datagram. */
    private static final long SLACK_BYTES = 4_000;

    private static final String RESULT = "least ";

    @ParameterizedTest
    @CsvSource({"GSO, 60000, 300000", "MMSG, 60000, 300000", "GSO, 64, 4000"})
    void nothingIsAllocatedForADatagram(UdpBatch rung, int length, long limit) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemorySupported());
        String said = Subprocess.run(
                Subprocess.java(BatchAllocationTest.class, List.of(), rung.name(), String.valueOf(length)));
        long least = Long.parseLong(said.substring(said.indexOf(RESULT) + RESULT.length()));
        assertTrue(least < limit, "each " + MEASURED + " messages allocated " + least + " bytes");
    }

    /** Measures a rung with messages of a length. */
    public static void main(String[] args) {
        ((ThreadMXBean) ManagementFactory.getThreadMXBean()).setThreadAllocatedMemoryEnabled(true);
        int length = Integer.parseInt(args[1]);
        long least = Long.MAX_VALUE; // on a busy machine compilers, which allocate a little, are late
        try (Loopback loopback = new Loopback(UdpBatch.valueOf(args[0]), LinuxSockets::new)) {
            loopback.exchange(WARM_UP, length);
            for (int batch = 0; batch < BATCHES && least >= SLACK_BYTES; batch++) {
                long before = loopback.allocated();
                loopback.exchange(MEASURED, length);
                least = Math.min(least, loopback.allocated() - before);
            }
        }
        System.out.println(RESULT + least);
    }
}
