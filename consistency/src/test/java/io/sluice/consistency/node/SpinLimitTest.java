package io.sluice.consistency.node;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.SpinLimit;
import io.sluice.messaging.driver.Driver;
import java.util.List;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Spinning needs a core for each busy thread. */
@Isolated("sets system properties")
class SpinLimitTest {
    private static final int CORES = Runtime.getRuntime().availableProcessors();
    private static final int MOST_LANES = 64;

    @AfterEach
    void clear() {
        System.clearProperty(NodeContext.IDLE_PROPERTY);
        System.clearProperty(SpinLimit.INSIST_PROPERTY);
    }

    private static IllegalArgumentException refused(IdleStrategy strategy, int own, int driver, int cores) {
        return assertThrows(
                IllegalArgumentException.class, () -> SpinLimit.require("a node", strategy, own, driver, cores));
    }

    @Test
    void aStrategyThatSpinsNeedsACoreForEachBusyThread() {
        for (IdleStrategy spinning : List.of(new BusySpinIdleStrategy(), NoOpIdleStrategy.INSTANCE)) {
            for (int own = 0; own < 4; own++) {
                for (int driver = 0; driver < 4; driver++) {
                    SpinLimit.require("a node", spinning, own, driver, own + driver);
                    refused(spinning, own, driver, own + driver - 1);
                }
            }
        }
        assertEquals(
                "idle strategy is 'spin', which never yields its core, but a node has 3 busy threads (2 of its own,"
                        + " 1 of the media driver) on 2 cores: expected backoff or yield, fewer threads, or"
                        + " sluice.idle.beyond.cores=true to insist",
                refused(new BusySpinIdleStrategy(), 2, 1, 2).getMessage());
    }

    @Test
    void aStrategyThatYieldsNeedsNoCore() {
        for (IdleStrategy idle :
                List.of(new BackoffIdleStrategy(), new YieldingIdleStrategy(), new SleepingIdleStrategy())) {
            SpinLimit.require("a node", idle, 9, 3, 1);
        }
    }

    /** A worker with more lanes than any machine has cores. */
    private static WorkerContext crowded() {
        Assumptions.assumeTrue(CORES < MOST_LANES, "more cores than a worker can have lanes");
        return new WorkerContext().filterLanes(CORES + 1);
    }

    @Test
    void aContextRefusesToSpinBeyondItsCoresUnlessItIsSet() {
        WorkerContext refused = crowded().idle(BusySpinIdleStrategy::new);
        String message =
                assertThrows(IllegalArgumentException.class, refused::conclude).getMessage();
        assertTrue(message.contains("this node has " + (CORES + 1) + " busy threads"), message);
        assertDoesNotThrow(crowded().idle(BusySpinIdleStrategy::new).spinBeyondCores(true)::conclude);
        assertDoesNotThrow(crowded()::conclude);
        assertDoesNotThrow(new WorkerContext().idle(BusySpinIdleStrategy::new)::conclude);
    }

    @Test
    void propertiesSayTheSame() {
        System.setProperty(NodeContext.IDLE_PROPERTY, "spin");
        assertThrows(IllegalArgumentException.class, crowded()::conclude);
        System.setProperty(SpinLimit.INSIST_PROPERTY, "true");
        assertDoesNotThrow(crowded()::conclude);
        System.setProperty(NodeContext.IDLE_PROPERTY, "yield");
        assertInstanceOf(YieldingIdleStrategy.class, new ServerContext().newIdleStrategy());
        System.setProperty(NodeContext.IDLE_PROPERTY, "spinn");
        assertEquals(
                "sluice.idle is 'spinn', expected one of backoff, yield, spin",
                assertThrows(IllegalArgumentException.class, ServerContext::new).getMessage());
    }

    @Test
    void aDriverInTheSameProcessTakesItsShare() {
        try (TestDriver driver = TestDriver.launch()) {
            int threads = RunningDriver.threadsHere(driver.directory());
            assertEquals(new Driver.Context().threading().threads(), threads);
            if (CORES - threads >= 1) {
                assertDoesNotThrow(spinning(driver, CORES - threads)::conclude);
            }
            assertThrows(IllegalArgumentException.class, spinning(driver, CORES - threads + 1)::conclude);
        }
    }

    private static WorkerContext spinning(TestDriver driver, int lanes) {
        return new WorkerContext()
                .aeronDirectory(driver.directory())
                .filterLanes(lanes)
                .idle(BusySpinIdleStrategy::new);
    }

    @Test
    void aDriverThatIsClosedTakesNone() {
        TestDriver driver = TestDriver.launch();
        driver.close();
        assertEquals(0, RunningDriver.threadsHere(driver.directory()));
    }
}
