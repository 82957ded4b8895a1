package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.messaging.Link;
import io.sluice.tree.FanOutRig.Prepared;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class FrameRingTest {
    private static final Prepared[] FRAMES = new Prepared[64];

    static {
        for (int i = 0; i < FRAMES.length; i++) {
            FRAMES[i] = FanOutRig.frame(i);
        }
    }

    private static boolean pass(FrameRing ring, int number) {
        Prepared frame = FRAMES[number % FRAMES.length];
        return ring.pass(frame.memory().buffer(), 0, frame.length());
    }

    /** Receivers are polled now and then, and the ring is full repeatedly. */
    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void everyLinkGetsEveryFrameInOrder(String medium) {
        for (long seed : Seeds.of(3)) {
            SplittableRandom random = new SplittableRandom(seed);
            int count = 500;
            int refused = 0;
            try (FanOutRig rig = new FanOutRig(medium, 3)) {
                FrameRing ring = new FrameRing(rig.links, random.nextInt(8 << 10, 64 << 10));
                int sent = 0;
                int speed = 1;
                for (long step = 0; !allHave(rig, count); step++) {
                    assertFalse(Thread.interrupted(), "seed " + seed + ": the time is up at frame " + sent);
                    if (sent < count && pass(ring, sent)) {
                        sent++;
                    } else if (sent < count) {
                        refused++;
                    }
                    if (step % 50 == 0) {
                        speed = random.nextInt(8);
                    }
                    for (int receiver = 0; receiver < 3; receiver++) {
                        if (sent == count || (speed >> receiver & 1) == 1) {
                            rig.poll(receiver);
                        }
                    }
                    ring.flush();
                }
                for (List<byte[]> received : rig.received) {
                    for (int i = 0; i < count; i++) {
                        FanOutRig.requireSame(List.of(FRAMES[i % FRAMES.length]), List.of(received.get(i)));
                    }
                }
                assertEquals(0, ring.backlog());
            }
            assertTrue(refused > 0, "seed " + seed + ": the ring was never full");
        }
    }

    private static boolean allHave(FanOutRig rig, int count) {
        return rig.received.stream().allMatch(frames -> frames.size() >= count);
    }

    @Test
    void aSlowLinkDelaysTheOthersOnlyOnceTheRingIsFull() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            FrameRing ring = new FrameRing(rig.links, 64 << 10);
            int sent = 0;
            int refusals = 0;
            while (refusals < 100) { // a link may also refuse because the next term is not ready yet
                if (pass(ring, sent)) {
                    sent++;
                    refusals = 0;
                } else {
                    refusals++;
                }
                rig.poll(0);
                ring.flush();
            }
            int passed = sent;
            until(() -> rig.received.getFirst().size() == passed, () -> {
                ring.flush();
                rig.poll(0);
            });
            int inRing = passed - (int) rig.links[1].frames();
            assertEquals((64 << 10) / (FRAMES[0].length() + 16), inRing, 1, "frames in the ring");
            assertTrue(ring.backlog() > 0);

            rig.poll(1);
            until(() -> pass(ring, passed), () -> rig.poll(1));
        }
    }

    /** The test moves the clock: a receiver that reads nothing delays the other for the patience only. */
    @Test
    void aStalledLinkIsSkippedAfterThePatienceAndContinuesAfterAGap() {
        long[] nowNs = {0};
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            FrameRing ring = new FrameRing(rig.links, null, () -> nowNs[0], 16 << 10);
            List<String> told = new ArrayList<>();
            ring.skipStanding(1_000, told::add);
            int[] sent = {0};
            for (int refusals = 0; refusals < 1_000; refusals++) {
                if (sent[0] < FRAMES.length / 2 && pass(ring, sent[0])) {
                    sent[0]++;
                    refusals = 0;
                }
                rig.poll(0);
            }
            assertEquals(List.of(), told);
            assertTrue(sent[0] < FRAMES.length / 2, "the ring was never full");
            until(() -> sent[0] == FRAMES.length - 1, () -> {
                boolean upToDate = rig.received.getFirst().size() == sent[0];
                nowNs[0] += upToDate ? 1_001 : 0; // so only the other one is stalled
                sent[0] += pass(ring, sent[0]) ? 1 : 0;
                rig.poll(0);
                ring.flush();
            });
            assertFalse(told.isEmpty());
            until(() -> rig.links[1].room() > 0 && ring.backlog() == 0, () -> {
                rig.pollAll();
                ring.flush();
            });
            assertTrue(pass(ring, FRAMES.length - 1));
            Prepared last = FRAMES[FRAMES.length - 1];
            until(() -> rig.received.stream().allMatch(frames -> isLast(frames, last)), () -> {
                rig.pollAll();
                ring.flush();
            });
            assertEquals(FRAMES.length, rig.received.getFirst().size());
            assertTrue(rig.received.getLast().size() < FRAMES.length, "there is no gap");
        }
    }

    private static boolean isLast(List<byte[]> frames, Prepared frame) {
        return !frames.isEmpty() && Arrays.equals(frame.bytes(), frames.getLast());
    }

    @Test
    void anAddedLinkStartsWithTheNextFrameAndAClosedOneDelaysNoOther() {
        try (FanOutRig rig = new FanOutRig("ipc", 3)) {
            FrameRing ring = new FrameRing(new Link[] {rig.links[0], rig.links[1]}, 16 << 10);
            assertTrue(pass(ring, 0));
            until(() -> 1 == rig.links[1].frames(), ring::flush);
            assertEquals(2, ring.add(rig.links[2]));
            ring.close(1);
            ring.close(1); // closing twice is harmless
            assertTrue(rig.links[1].isClosed());
            int[] sent = {1};
            until(() -> sent[0] == FRAMES.length, () -> {
                sent[0] += pass(ring, sent[0]) ? 1 : 0;
                rig.poll(0);
                rig.poll(2);
            });
            until(() -> rig.received.get(0).size() + rig.received.get(2).size() == 2 * FRAMES.length - 1, () -> {
                ring.flush();
                rig.pollAll();
            });
            FanOutRig.requireSame(List.of(FRAMES), rig.received.getFirst());
            FanOutRig.requireSame(List.of(FRAMES).subList(1, FRAMES.length), rig.received.getLast());
            until(() -> 1 == rig.received.get(1).size(), () -> rig.poll(1));
            assertTrue(ring.isSettled());
        }
    }

    @Test
    void aLinkThatHasLostItsReceiverIsClosedWhenTheRingIsFull() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            FrameRing ring = new FrameRing(rig.links, 16 << 10);
            assertTrue(pass(ring, 0));
            until(() -> 0 == ring.backlog(), ring::flush); // a link that has never taken a frame is waited for
            assertTrue(ring.isConnected());
            rig.inboxes.get(1).close();
            int[] sent = {1};
            until(() -> sent[0] == 200, () -> {
                sent[0] += pass(ring, sent[0]) ? 1 : 0;
                rig.poll(0);
            });
            until(() -> rig.received.getFirst().size() == 200, () -> {
                ring.flush();
                rig.poll(0);
            });
            assertEquals(0, ring.backlog());
            rig.inboxes.getFirst().close();
            until(() -> !ring.isConnected(), Thread::yield);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        FrameRing ring = new FrameRing(new Link[0], 1 << 10);
        assertEquals(496, ring.longestFrame());
        Prepared frame = FRAMES[0];
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> ring.pass(frame.memory().buffer(), 0, frame.length()))
                .getMessage();
        assertEquals(
                "a frame of " + frame.length() + " bytes does not fit a ring of 1024, which takes 496 at most",
                message);
        assertTrue(ring.pass(frame.memory().buffer(), 0, 496), "no link to wait for");
        assertEquals(0, ring.backlog());
    }

    @Test
    void passingAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            rig.record(false);
            FrameRing ring = new FrameRing(rig.links, 32 << 10);
            long least = Long.MAX_VALUE;
            // The compiler works in the background: measure in batches until one is clean, or give up.
            for (int batch = 0; batch < 60 && least > 0; batch++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 4_000; i++) {
                    pass(ring, i % FRAMES.length);
                    if (i % 16 == 0) {
                        rig.poll(0);
                        rig.poll(1);
                    }
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertEquals(0, least);
        }
    }

    private static void until(BooleanSupplier condition, Runnable step) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < FanOutRig.PATIENCE_NS, "the condition was not met in time");
            step.run();
        }
    }
}
