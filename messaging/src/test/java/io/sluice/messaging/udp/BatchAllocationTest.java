package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.messaging.Subprocess;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
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
@Timeout(300)
class BatchAllocationTest {
    private static final int WARM_UP = 4_000;
    private static final int MEASURED = 1_000;

    /** For compilers that are late on a busy machine: what they compile last allocates a little. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    private static final String RESULT = "least ";

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"GSO, 60000, 300000", "MMSG, 60000, 300000", "GSO, 64, 4000"})
    void nothingIsAllocatedForADatagram(UdpBatch mode, int length, long limit) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemorySupported());
        String said = Subprocess.run(Subprocess.java(
                BatchAllocationTest.class, List.of(), mode.name(), String.valueOf(length), String.valueOf(limit)));
        long least = Long.parseLong(said.substring(said.indexOf(RESULT) + RESULT.length()));
        assertTrue(least < limit, "each " + MEASURED + " messages allocated " + least + " bytes");
    }

    /** Measures a mode with messages of a length until a batch stays below a limit. */
    public static void main(String[] args) {
        ((ThreadMXBean) ManagementFactory.getThreadMXBean()).setThreadAllocatedMemoryEnabled(true);
        int length = Integer.parseInt(args[1]);
        long limit = Long.parseLong(args[2]);
        long least = Long.MAX_VALUE;
        try (Loopback loopback = new Loopback(UdpBatch.valueOf(args[0]), LinuxSockets::new)) {
            loopback.exchange(WARM_UP, length);
            long startNs = System.nanoTime();
            while (least >= limit && System.nanoTime() - startNs < PATIENCE_NS) {
                long before = loopback.allocated();
                loopback.exchange(MEASURED, length);
                least = Math.min(least, loopback.allocated() - before);
            }
        }
        System.out.println(RESULT + least);
    }
}
