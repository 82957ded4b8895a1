package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.launch.NodeEvent;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TrainProgressTest {
    private final TrainProgress progress = new TrainProgress(10);

    @BeforeEach
    void show() {
        progress.show();
        List.of("server 0", "worker 0", "worker 1").forEach(node -> progress.accept(new NodeEvent.Launched(node)));
    }

    @AfterEach
    void close() {
        progress.close();
    }

    @Test
    void namesWhatTheFirstClockWaitsFor() {
        assertEquals("starting server 0 and workers 0, 1", progress.awaited());
        progress.accept(new NodeEvent.Started("worker 0"));
        assertEquals("starting server 0 and worker 1", progress.awaited());
        progress.accept(new NodeEvent.Started("server 0"));
        progress.accept(new NodeEvent.Started("worker 1"));
        assertEquals("waiting for server 0 and workers 0, 1 to join", progress.awaited());
        progress.accept(new NodeEvent.Joined("server 0"));
        assertEquals("waiting for workers 0, 1 to join", progress.awaited());
        progress.accept(new NodeEvent.Joined("worker 1"));
        progress.accept(new NodeEvent.Joined("worker 0"));
        assertEquals("all nodes have joined; waiting for the first values", progress.awaited());
    }

    @Test
    void knowsWhenTheFirstClockWas() {
        progress.accept(new NodeEvent.Clock(1, 1, 0.6, 0, 100));
        Duration first = progress.toFirstClock();
        assertTrue(first.isPositive(), first::toString);
        progress.accept(new NodeEvent.Clock(0, 2, 0.5, 0, 200));
        assertEquals(first, progress.toFirstClock());
    }
}
