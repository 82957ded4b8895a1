package io.sluice.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.launch.ChildFailedException.Kind;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which processes are started again, by how they ended. */
class RestartsTest {
    private static final NodeEvent COMPLETE = new NodeEvent.Joined("worker 0");

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final Restarts several = new Restarts(false, true, new PrintStream(told, true));

    @ParameterizedTest
    @ValueSource(ints = {137, 76, 1, 69})
    void oneOfSeveralCoordinatorsAlways(int code) {
        several.on(COMPLETE);
        assertTrue(several.restarts("coordinator 1", code, "coordinator 1 has ended"));
        assertEquals(
                "sluice: coordinator 1 has ended: started again as coordinator 1 (1 of 3)",
                told.toString().strip());
        assertFalse(several.restarts("worker 1", code, "worker 1 has ended"));
        assertEquals(0, several.count(), "nodes: a coordinator is none");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 65, 70})
    void notANodeThatWouldFailAgain(int code) {
        several.on(COMPLETE);
        assertFalse(several.restarts("coordinator 1", code, "coordinator 1 has ended"));
        assertEquals(Kind.LASTING, several.kind("coordinator 1", code));
    }

    @ParameterizedTest
    @ValueSource(ints = {130, 143})
    void aNodeThatIsAskedToEndDuringTheJob(int code) {
        Restarts waits = new Restarts(true, false, new PrintStream(told, true));
        waits.on(COMPLETE);
        assertTrue(waits.restarts("worker 1", code, "worker 1 has ended"));
        waits.end();
        assertFalse(waits.restarts("worker 1", code, "worker 1 has ended"));
    }

    @Test
    void notARefusedNodeUntilItIsStartedAgain() {
        Restarts waits = new Restarts(true, false, new PrintStream(told, true));
        waits.on(COMPLETE);
        waits.refused("worker 1");
        assertFalse(waits.restarts("worker 1", 76, "worker 1 has ended"));
        assertEquals(Kind.LASTING, waits.kind("worker 1", 76));
        assertTrue(waits.restarts("worker 2", 76, "worker 2 has ended"));
        waits.starting("worker 1");
        assertEquals(Kind.TRANSIENT, waits.kind("worker 1", 76));
    }

    @Test
    void notANodeThatCannotStart() {
        assertFalse(several.restarts("coordinator 1", 69, "coordinator 1 has ended"));
    }

    @Test
    void noNodeThreeTimesWithoutProgress() {
        several.on(COMPLETE);
        for (int time = 0; time < Restarts.MOST; time++) {
            assertTrue(several.restarts("coordinator 1", 137, "coordinator 1 has ended"));
        }
        assertFalse(several.restarts("coordinator 1", 137, "coordinator 1 has ended"));
        several.on(new NodeEvent.Clock(0, 5, 1, 0, 0));
        assertTrue(several.restarts("coordinator 1", 137, "coordinator 1 has ended"));
    }

    @Test
    void nodesUnderWaitOnceTheClusterWasComplete() {
        Restarts waits = new Restarts(true, false, new PrintStream(told, true));
        assertFalse(waits.restarts("worker 1", 137, "worker 1 has ended"));
        waits.on(COMPLETE);
        assertTrue(waits.restarts("worker 1", 137, "worker 1 has ended"));
        assertEquals(1, waits.count());
        assertFalse(waits.restarts("server 0", 137, "server 0 has ended"));
        assertFalse(waits.restarts("worker 2", 69, "worker 2 has ended"));
        waits.end();
        assertFalse(waits.restarts("worker 1", 137, "worker 1 has ended"));
    }
}
