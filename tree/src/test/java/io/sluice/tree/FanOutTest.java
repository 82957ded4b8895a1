package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.messaging.Link;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.BarrierQueue;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.tree.FanOutRig.Prepared;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class FanOutTest {
    /** More than a link's window of half a term takes. */
    private static final int MANY = 64;

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void anUnpolledReceiverDelaysNeitherTheOthersNorTheCaller(String medium) {
        try (FanOutRig rig = new FanOutRig(medium, 3)) {
            FanOut fanOut = new FanOut(rig.links, MANY);
            List<Prepared> frames = frames(MANY);
            for (Prepared frame : frames) {
                fanOut.enqueue(frame.out(), frame.length());
            }
            until(
                    () -> rig.received.get(0).size() == MANY
                            && rig.received.get(2).size() == MANY,
                    () -> {
                        fanOut.flush();
                        rig.poll(0);
                        rig.poll(2);
                    });
            FanOutRig.requireSame(frames, rig.received.get(0));
            FanOutRig.requireSame(frames, rig.received.get(2));
            assertEquals(List.of(), rig.received.get(1));
            assertTrue(fanOut.backlog() > 0, "the slow link's log holds less than all");
            assertFalse(frames.getLast().out().isIdle());

            until(() -> rig.received.get(1).size() == MANY, () -> {
                fanOut.flush();
                rig.poll(1);
            });
            FanOutRig.requireSame(frames, rig.received.get(1));
            assertEquals(0, fanOut.backlog());
            assertTrue(frames.stream().allMatch(frame -> frame.out().isIdle()));
        }
    }

    /** For monitoring, a frame waits for each link until that link has taken it. */
    @Test
    void reportsTheBacklogOfEachLink() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            NodeBudget budget = new NodeBudget(Budget.NONE, Budget.NONE, System::nanoTime);
            List<Backlog> backlogs = new ArrayList<>();
            FanOut.Watching watching = (link, backlog) -> {
                backlogs.add(backlog);
                Pacing pacing = budget.pace(link, FanOutRig.frame(0).length(), null);
                return new LinkWatch(link, System::nanoTime, null, pacing, backlog, 100, true);
            };
            FanOut fanOut = new FanOut(
                    rig.links, watching, true, MANY, 0, FanOutRig.frame(0).length());
            requireWaiting(backlogs.get(0), 0, 0);
            long startNs = System.nanoTime();
            List<Prepared> frames = frames(MANY);
            int length = frames.getFirst().length();
            for (Prepared frame : frames) {
                fanOut.enqueue(frame.out(), frame.length());
            }
            requireWaiting(backlogs.get(0), MANY, length);
            requireWaiting(backlogs.get(1), MANY, length);
            assertTrue(backlogs.get(0).oldestNs() >= startNs && backlogs.get(0).oldestNs() <= System.nanoTime());
            until(() -> rig.received.get(0).size() == MANY, () -> {
                fanOut.flush();
                rig.poll(0);
            });
            requireWaiting(backlogs.get(0), 0, length);
            int left = MANY - (int) rig.links[1].frames();
            assertTrue(left > 0, "its log holds less than all");
            requireWaiting(backlogs.get(1), left, length);
            until(() -> rig.received.get(1).size() == MANY, () -> {
                fanOut.flush();
                rig.poll(1);
            });
            requireWaiting(backlogs.get(1), 0, length);
        }
    }

    private static void requireWaiting(Backlog backlog, int frames, int length) {
        assertEquals(frames, backlog.frames());
        assertEquals((long) frames * length, backlog.bytes());
        assertEquals(frames == 0, backlog.oldestNs() == Long.MAX_VALUE);
    }

    @Test
    void aLinkThatIsClosedKeepsNoFrameBusyAndIsForgotten() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            FanOut fanOut = new FanOut(rig.links, MANY);
            List<Prepared> frames = frames(MANY);
            frames.forEach(frame -> fanOut.enqueue(frame.out(), frame.length()));
            until(() -> rig.received.getFirst().size() == MANY, () -> {
                fanOut.flush();
                rig.poll(0);
            });
            assertTrue(fanOut.backlog() > 0, "the other one's log holds less than all");
            fanOut.close(1);
            fanOut.flush();
            assertEquals(0, fanOut.backlog());
            assertTrue(frames.stream().allMatch(frame -> frame.out().isIdle()));
            assertTrue(rig.links[1].isClosed());
            fanOut.close(0);
            List<Integer> lengths = new ArrayList<>();
            fanOut.record((buffer, length) -> lengths.add(length)); // later workers may request it
            Prepared last = frames.getFirst();
            fanOut.enqueue(last.out(), last.length());
            fanOut.flush();
            assertEquals(List.of(last.length()), lengths);
            assertTrue(last.out().isIdle(), "no link is left to send it to");
        }
    }

    @Test
    void flushSaysHowManyFramesItSentOnAllLinks() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            FanOut fanOut = new FanOut(rig.links, 4);
            assertEquals(0, fanOut.flush());
            List<Prepared> frames = frames(3);
            frames.forEach(frame -> fanOut.enqueue(frame.out(), frame.length()));
            assertEquals(3, fanOut.backlog());
            assertEquals(6, fanOut.flush());
            assertEquals(0, fanOut.flush());
            assertEquals(0, fanOut.backlog());
        }
    }

    @Test
    void aFrameIsIdleOnlyOnceEveryLinkHasTakenIt() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            FanOut fanOut = new FanOut(rig.links, MANY);
            List<Prepared> frames = frames(MANY);
            frames.forEach(frame -> fanOut.enqueue(frame.out(), frame.length()));
            until(() -> rig.received.get(0).size() == MANY, () -> {
                fanOut.flush();
                rig.poll(0);
            });
            long taken = rig.links[1].frames();
            for (int i = 0; i < MANY; i++) {
                assertEquals(i < taken, frames.get(i).out().isIdle(), "frame " + i + " of " + taken);
            }
        }
    }

    @Test
    void aFrameThatIsStillBeingSentIsRefused() {
        try (FanOutRig rig = new FanOutRig("ipc", 1)) {
            FanOut fanOut = new FanOut(rig.links, 4);
            Prepared frame = FanOutRig.frame(1);
            fanOut.enqueue(frame.out(), frame.length());
            IllegalStateException error =
                    assertThrows(IllegalStateException.class, () -> fanOut.enqueue(frame.out(), frame.length()));
            assertEquals("the frame is still being sent", error.getMessage());
            while (!frame.out().isIdle()) {
                fanOut.flush(); // a link may refuse at first, as a new log does
            }
            fanOut.enqueue(frame.out(), frame.length());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 16})
    void moreFramesThanTheCapacityAreRefused(int capacity) {
        try (FanOutRig rig = new FanOutRig("ipc", 1)) {
            FanOut fanOut = new FanOut(rig.links, capacity);
            int size = Math.max(2, Integer.highestOneBit(capacity - 1) * 2);
            List<Prepared> frames = frames(size + 1);
            frames.subList(0, size).forEach(frame -> fanOut.enqueue(frame.out(), frame.length()));
            Prepared last = frames.getLast();
            IllegalStateException error =
                    assertThrows(IllegalStateException.class, () -> fanOut.enqueue(last.out(), last.length()));
            assertEquals("more than " + size + " frames wait to be sent", error.getMessage());
            assertTrue(last.out().isIdle(), "a refused frame stays the caller's");

            until(() -> rig.received.getFirst().size() == size, () -> {
                fanOut.flush();
                rig.pollAll();
            });
            fanOut.enqueue(last.out(), last.length());
            FanOutRig.requireSame(frames.subList(0, size), rig.received.getFirst());
        }
    }

    /**
     * If they had to wait for a link, one that opens later would carry frames whose sequence numbers differ from those
     * sent before.
     */
    @Test
    void framesAreFinishedAndRecordedBeforeTheFirstLinkOpens() {
        FanOut fanOut = new FanOut(new Link[0], 1);
        List<Integer> recorded = new ArrayList<>();
        fanOut.record((_, length) -> recorded.add(length));
        int[] sequence = {0};
        OutFrame frame = new OutFrame(FanOutRig.frame(1).out().buffer(), () -> 64 + sequence[0]++);
        for (int i = 0; i < 3; i++) {
            fanOut.enqueue(frame, BarrierQueue.NO_LANE, 0, 64);
            assertEquals(0, fanOut.flush());
            assertTrue(frame.isIdle());
        }
        assertEquals(List.of(64, 65, 66), recorded);
        assertEquals(0, fanOut.backlog());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void enqueueAndFlushAllocateNothing(String medium) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (FanOutRig rig = new FanOutRig(medium, 2)) {
            rig.record(false);
            FanOut fanOut = new FanOut(rig.links, 8);
            List<Prepared> frames = frames(8);
            Prepared[] prepared = frames.toArray(Prepared[]::new);
            long least = Long.MAX_VALUE;
            // The compiler works in the background: measure in batches until one is clean, or give up.
            for (int batch = 0; batch < 60 && least > 0; batch++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 500; i++) {
                    round(rig, fanOut, prepared);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertEquals(0, least);
        }
    }

    private static void round(FanOutRig rig, FanOut fanOut, Prepared[] frames) {
        for (Prepared frame : frames) {
            fanOut.enqueue(frame.out(), frame.length());
        }
        while (fanOut.backlog() > 0) {
            assertFalse(Thread.interrupted(), "the time is up");
            fanOut.flush();
            rig.pollAll();
        }
    }

    private static List<Prepared> frames(int count) {
        List<Prepared> frames = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            frames.add(FanOutRig.frame(i));
        }
        return frames;
    }

    private static void until(BooleanSupplier condition, Runnable step) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < FanOutRig.PATIENCE_NS, "the condition was not met in time");
            step.run();
        }
    }
}
