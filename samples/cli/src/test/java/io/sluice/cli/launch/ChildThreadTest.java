package io.sluice.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ChildThreadTest {
    private static final int INTERRUPTED = 130;

    private final Queue<NodeEvent> events = new ConcurrentLinkedQueue<>();

    private ChildThread start(NodeMain main) {
        return ChildThread.start("worker 1", List.of("worker", "lr"), main, events::add);
    }

    @Test
    void runsTheCommandAndForwardsItsReports() {
        ChildThread child = start((arguments, job, err) -> {
            job.accept(new NodeEvent.Started(String.join(" ", arguments)));
            return 0;
        });
        child.onExit().join();
        assertFalse(child.isAlive());
        assertEquals(0, child.exitValue());
        assertEquals(List.of(new NodeEvent.Started("worker lr")), List.copyOf(events));
    }

    @Test
    void endsWithTheMessageOfTheNode() {
        ChildThread child = start((arguments, job, err) -> {
            err.println("sluice: there is no file mails");
            return 65;
        });
        child.onExit().join();
        assertEquals(65, child.exitValue());
        assertEquals("worker 1: there is no file mails", child.ending());
    }

    @Test
    void anErrorEndsTheNodeButNotTheJvm() {
        ChildThread child = start((arguments, job, err) -> {
            throw new StackOverflowError("too deep");
        });
        child.onExit().join();
        assertEquals(1, child.exitValue());
        assertEquals("worker 1: java.lang.StackOverflowError: too deep", child.ending());
    }

    @Test
    void anInterruptEndsIt() throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(1);
        ChildThread child = start((arguments, job, err) -> {
            runs.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                return INTERRUPTED;
            }
            return 0;
        });
        runs.await();
        assertTrue(child.isAlive());
        child.askToEnd();
        child.awaitEnd();
        assertFalse(child.isAlive());
        assertTrue(child.wasAskedToEnd());
    }
}
