package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.driver.Driver;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentTerminationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An agent works for as long as it is invoked, even by an interrupted thread. */
class InvokedAgentTest {
    private final List<Throwable> errors = new ArrayList<>();
    private int cycles;
    private int closed;

    @AfterEach
    void clear() {
        assertFalse(Thread.interrupted(), "what a test has left");
    }

    private InvokedAgent start(Runnable work) {
        return InvokedAgent.start(
                new Agent() {
                    @Override
                    public int doWork() {
                        cycles++;
                        work.run();
                        return 0;
                    }

                    @Override
                    public void onClose() {
                        closed++;
                    }

                    @Override
                    public String roleName() {
                        return "test";
                    }
                },
                errors::add);
    }

    private static void cycle(InvokedAgent agent, int times) {
        for (int i = 0; i < times; i++) {
            agent.invoke();
        }
    }

    @Test
    void continuesAfterAnInterruptInAnIdleCycle() {
        try (InvokedAgent agent = start(() -> Thread.currentThread().interrupt())) {
            cycle(agent, 3);
            assertTrue(Thread.interrupted(), "the thread stays interrupted");
            cycle(agent, 1);
            assertTrue(Thread.interrupted());
            assertEquals(4, cycles);
            assertEquals(0, closed);
        }
        assertEquals(1, closed);
    }

    @Test
    void continuesAfterACycleThatFails() {
        try (InvokedAgent agent = start(() -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("cycle " + cycles);
        })) {
            cycle(agent, 3);
            assertTrue(Thread.interrupted(), "the thread stays interrupted");
        }
        assertEquals(
                List.of("cycle 1", "cycle 2", "cycle 3"),
                errors.stream().map(Throwable::getMessage).toList());
    }

    @Test
    void endsWhenTheAgentWantsTo() {
        InvokedAgent agent = start(() -> {
            throw new AgentTerminationException("enough");
        });
        cycle(agent, 3);
        agent.close();
        assertEquals(1, cycles);
        assertEquals(1, closed);
        assertEquals(1, errors.size());
    }

    @Test
    void reportsAnErrorAndPassesItOn() {
        try (InvokedAgent agent = start(() -> {
            throw new AssertionError("broken");
        })) {
            assertThrows(AssertionError.class, agent::invoke);
        }
        assertEquals("broken", errors.getFirst().getMessage());
        assertEquals(1, errors.size());
    }

    @Test
    void theConductorOfAThreadThatIsInterruptedOpensAndConnects() {
        try (Rig rig = new Rig(Rig.shortTerms(), new Driver.Context(), new Transport.Context().conductorInvoked(true));
                Link link = rig.sender.openLink("test", rig.channels.ipc(), Rig.STREAM)) {
            Frames frames = new Frames();
            List<Long> taken = new ArrayList<>();
            Thread.currentThread().interrupt();
            try (Inbox inbox = rig.inbox("ipc", (buffer, offset, length, templateId, sessionId) -> {
                taken.add(Frames.number(buffer, offset));
                return FrameHandler.Action.CONTINUE;
            })) {
                long startNs = System.nanoTime();
                while (taken.isEmpty() && System.nanoTime() - startNs < Rig.PATIENCE_NS) {
                    if (link.isConnected() && 0 == link.position()) {
                        link.offer(frames.buffer(), 0, frames.encode(7, 1));
                    }
                    rig.receiver.invoke();
                    inbox.poll(1);
                }
            }
            assertTrue(Thread.interrupted(), "the thread stays interrupted");
            assertEquals(List.of(7L), taken, rig.errors::toString);
        }
    }
}
