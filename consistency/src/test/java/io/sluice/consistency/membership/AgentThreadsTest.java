package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Once the close of an agent returns, its resources may be released, even if the closing thread is interrupted. */
@Timeout(240)
class AgentThreadsTest {
    private static final long CLOSING_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final CountDownLatch working = new CountDownLatch(1);
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private volatile boolean interrupted;
    private volatile boolean gone;

    /** An agent whose close takes a while. */
    private final Agent agent = new Agent() {
        @Override
        public int doWork() {
            working.countDown();
            return 0;
        }

        @Override
        public void onClose() {
            long beginNs = System.nanoTime();
            while (System.nanoTime() - beginNs < CLOSING_NS) {
                LockSupport.parkNanos(CLOSING_NS / 10);
                interrupted |= Thread.interrupted();
            }
            gone = true;
        }

        @Override
        public String roleName() {
            return "sluice-test";
        }
    };

    @Test
    void aThreadThatIsInterruptedWaitsForTheAgentThatItCloses() throws Exception {
        AutoCloseable running = AgentThreads.inThread(agent, YieldingIdleStrategy.INSTANCE, errors::add);
        working.await();
        Thread.currentThread().interrupt();
        running.close();
        assertTrue(Thread.interrupted(), "the closing thread stays interrupted");
        assertTrue(gone);
        assertFalse(interrupted, "the agent's thread is not interrupted");
        assertEquals(List.of(), errors);
    }
}
