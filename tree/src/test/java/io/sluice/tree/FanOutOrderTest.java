package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Frame;
import io.sluice.messaging.Link;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.outbox.BarrierQueue;
import io.sluice.messaging.outbox.FlightWindow;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.tree.FanOutRig.Prepared;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames that wait leave by urgency and behind their fences, and all links carry the same ones in the same order. */
@Timeout(180)
class FanOutOrderTest {
    private static final int FRAMES = 24;
    private static final long MS = 1_000_000;

    private final List<Integer> finished = new ArrayList<>();
    private final AtomicLong nowNs = new AtomicLong();
    private final NanoClock clock = nowNs::get;

    private FanOut paced(Link[] links, int capacity, int lanes) {
        return paced(links, Budget.NONE, null, true, capacity, lanes);
    }

    /** All links share a budget; the second one has a window, if there is one. */
    private FanOut paced(Link[] links, Budget together, FlightWindow window, boolean ordered, int capacity, int lanes) {
        int longest = FanOutRig.frame(0).length();
        NodeBudget budget = new NodeBudget(Budget.NONE, together, clock);
        FanOut.Watching watching = (link, backlog) -> {
            Pacing pacing = budget.pace(link, longest, links.length > 1 && link == links[1] ? window : null);
            return new LinkWatch(link, clock, null, pacing, backlog, longest, true);
        };
        return new FanOut(links, watching, ordered, capacity, lanes, longest);
    }

    private OutFrame frame(Prepared prepared, int number) {
        return new OutFrame(prepared.memory().buffer(), () -> {
            finished.add(number);
            return prepared.length();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void allLinksCarryTheOrderOfUrgency(String medium) {
        try (FanOutRig rig = new FanOutRig(medium, 3)) {
            List<Prepared> prepared = new ArrayList<>();
            FanOut fanOut = paced(rig.links, FRAMES, 1);
            for (int number = 0; number < FRAMES; number++) {
                prepared.add(FanOutRig.frame(number));
                fanOut.enqueue(frame(prepared.get(number), number), 0, number * 7 % FRAMES, 1);
            }
            assertEquals(List.of(), finished, "nothing is finished before it is sent");
            flushAll(rig, fanOut, FRAMES);
            for (int i = 0; i < FRAMES; i++) {
                assertEquals(i, finished.get(i) * 7 % FRAMES, "by urgency");
                byte[] sent = prepared.get(finished.get(i)).bytes();
                for (List<byte[]> received : rig.received) {
                    assertArrayEquals(sent, received.get(i));
                }
            }
        }
    }

    @Test
    void somethingIsLeftOnlyWhenAllBudgetsHaveRunEmptyAndNothingWaits() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            Prepared prepared = FanOutRig.frame(0);
            int bytes = rig.links[0].lengthInLog(prepared.length());
            FanOut fanOut = paced(rig.links, new Budget(8_000, 3 * bytes + 1), null, true, 8, 1); // 1 byte a ms
            assertEquals(3, fanOut.spare(), "as many as a burst holds");
            fanOut.enqueue(frame(prepared, 0), 0, 0, prepared.length());
            assertEquals(0, fanOut.spare(), "a frame waits");
            flushAll(rig, fanOut, 1);
            nowNs.addAndGet(2 * MS * bytes - 1); // on both links
            assertEquals(0, fanOut.spare(), "the last bit has not leaked");
            nowNs.addAndGet(1);
            assertEquals(3, fanOut.spare());
            assertEquals(0, paced(rig.links, 8, 1).spare(), "of no budget");
        }
    }

    @Test
    void aFrameWaitsOnlyBehindTheFenceOfItsLane() {
        try (FanOutRig rig = new FanOutRig("ipc", 1)) {
            FanOut fanOut = paced(rig.links, 8, 2);
            fanOut.enqueue(frame(FanOutRig.frame(0), 0), 0, 9, 1);
            fanOut.enqueueFence(frame(FanOutRig.frame(1), 1), 0);
            fanOut.enqueue(frame(FanOutRig.frame(2), 2), 0, 0, 1);
            fanOut.enqueue(frame(FanOutRig.frame(3), 3), 1, 5, 1);
            flushAll(rig, fanOut, 4);
            assertEquals(List.of(3, 0, 1, 2), finished);
        }
    }

    /** A link without room does not delay others, and gets the same frames in the same order later. */
    @Test
    void aLateFrameOvertakesOnlyFramesThatNoLinkHas() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            int many = 64;
            FanOut fanOut = paced(rig.links, many + 1, 1);
            List<Prepared> prepared = new ArrayList<>();
            for (int number = 0; number < many; number++) {
                prepared.add(FanOutRig.frame(number));
                fanOut.enqueue(frame(prepared.get(number), number), BarrierQueue.NO_LANE, 1, 1);
            }
            fanOut.flush(); // until both logs are full
            int inLogs = finished.size();
            assertTrue(inLogs > 0 && inLogs < many, inLogs + " frames are in the logs");
            prepared.add(FanOutRig.frame(many));
            fanOut.enqueue(frame(prepared.get(many), many), BarrierQueue.NO_LANE, 0, 1);
            flushAll(rig, fanOut, many + 1);
            assertEquals(inLogs, finished.indexOf(many), "the urgent frame is next");
            assertEquals(many + 1, rig.received.get(0).size());
            for (int i = 0; i <= many; i++) {
                assertArrayEquals(
                        rig.received.get(0).get(i), rig.received.get(1).get(i));
                assertEquals(finished.get(i) & 0xFF, rig.received.get(0).get(i)[Frame.DATA_LENGTH] & 0xFF);
            }
        }
    }

    /**
     * If a fast link took frames ahead of a slow one, the ring would be the queue of the slow one, in order of arrival.
     */
    @Test
    void aFastLinkDoesNotTakeFromASlowOneWhatCouldBeOvertaken() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            int many = 64;
            FanOut fanOut = paced(rig.links, many + 1, 1);
            List<Prepared> prepared = new ArrayList<>();
            for (int number = 0; number < many; number++) {
                prepared.add(FanOutRig.frame(number));
                fanOut.enqueue(frame(prepared.get(number), number), BarrierQueue.NO_LANE, 1, 1);
            }
            flushWhileOnlyTheFirstReads(rig, fanOut);
            int inSlowLog = (int) rig.links[1].frames();
            assertTrue(
                    finished.size() <= inSlowLog + FanOut.LEAD, finished.size() + " finished, " + inSlowLog + " sent");
            prepared.add(FanOutRig.frame(many));
            fanOut.enqueue(frame(prepared.get(many), many), BarrierQueue.NO_LANE, 0, 1);
            flushAll(rig, fanOut, many + 1);
            assertTrue(
                    finished.indexOf(many) <= inSlowLog + FanOut.LEAD, "it is at position " + finished.indexOf(many));
            assertSameOnBoth(rig, many + 1);
        }
    }

    @Test
    void aStalledLinkDelaysNoOther() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            int many = 64;
            FanOut fanOut = paced(rig.links, many, 1);
            for (int number = 0; number < many; number++) {
                fanOut.enqueue(frame(FanOutRig.frame(number), number), BarrierQueue.NO_LANE, 1, 1);
            }
            flushWhileOnlyTheFirstReads(rig, fanOut);
            assertTrue(rig.received.get(0).size() < many, "the first waits for the second at first");
            nowNs.addAndGet(Branch.STALL_NS + 1);
            long start = System.nanoTime();
            while (rig.received.get(0).size() < many) {
                assertTrue(System.nanoTime() - start < FanOutRig.PATIENCE_NS, "held up by a stalled link");
                fanOut.flush();
                rig.poll(0);
            }
            assertEquals(0, rig.received.get(1).size());
            flushAll(rig, fanOut, many);
            assertSameOnBoth(rig, many);
        }
    }

    /** A caller that waits for a frame's memory gets it, and the link continues after a gap once it is read again. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(booleans = {true, false})
    void aCallerThatNeedsTheMemorySkipsALinkStalledForThePatience(boolean alone) {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            int many = 64;
            List<String> told = new ArrayList<>();
            FanOut fanOut = paced(alone ? new Link[] {rig.links[1]} : rig.links, many + 1, 1);
            fanOut.skipStanding(1_000 * MS, told::add);
            List<OutFrame> frames = new ArrayList<>();
            for (int number = 0; number < many; number++) {
                frames.add(frame(FanOutRig.frame(number), number));
                fanOut.enqueue(frames.get(number), BarrierQueue.NO_LANE, 1, 1);
            }
            flushFor(rig, fanOut, 500 * MS);
            assertFalse(fanOut.skipStalled(), "its patience has not run out");
            assertFalse(frames.get(many - 1).isIdle());
            flushFor(rig, fanOut, 1_000 * MS);
            for (int turn = 0; turn < many && fanOut.backlog() > 0; turn++) {
                assertTrue(fanOut.skipStalled());
                flushFor(rig, fanOut, 10 * MS);
            }
            assertTrue(frames.stream().allMatch(OutFrame::isIdle), "some are still to be sent");
            assertEquals(1, told.size(), "reported once");
            assertEquals(many, finished.size(), "all frames are recorded");
            assertEquals(alone ? 0 : many, rig.received.get(0).size());

            int before = (int) rig.links[1].frames();
            fanOut.enqueue(frame(FanOutRig.frame(many), many), BarrierQueue.NO_LANE, 1, 1);
            long start = System.nanoTime();
            while (rig.received.get(1).size() <= before) {
                assertTrue(System.nanoTime() - start < FanOutRig.PATIENCE_NS, "it does not continue");
                fanOut.flush();
                rig.pollAll();
            }
            assertTrue(before < many, "there is no gap");
            assertArrayEquals(FanOutRig.frame(many).bytes(), rig.received.get(1).getLast());
            assertEquals(0, fanOut.backlog());
        }
    }

    /**
     * The receiver of the only link computes for long. After the patience all frames are recorded, because other
     * receivers of the link may need them. The link misses none until a caller needs their memory.
     */
    @Test
    void framesLeaveTheQueueOnceTheOnlyLinkIsStalledForThePatience() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            Link standing = rig.links[1];
            List<String> told = new ArrayList<>();
            FanOut fanOut = paced(new Link[] {standing}, 65, 1);
            fanOut.skipStanding(1_000 * MS, told::add);
            for (int number = 0; number < 64; number++) {
                fanOut.enqueue(frame(FanOutRig.frame(number), number), BarrierQueue.NO_LANE, 1, 1);
            }
            flushFor(rig, fanOut, 900 * MS);
            assertEquals(standing.frames(), finished.size(), "frames wait where they can be overtaken");
            assertFalse(fanOut.skipStalled());
            flushFor(rig, fanOut, 500 * MS);
            assertTrue(standing.frames() < 64, "the link has accepted all frames");
            assertEquals(64, finished.size());
            assertEquals(List.of(), told);
            assertTrue(fanOut.skipStalled());
            assertTrue(fanOut.skipStalled());
            assertEquals(List.of(standing.label()), told, "reported once");
        }
    }

    /** Neither the frames in flight on a link nor the budget of the others hide its stall. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"closed window", "full log, shared budget", "closed window, shared budget"})
    void aLinkWithoutProgressIsStalledWhateverElseItWaitsFor(String why) {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            int many = 64;
            int longest = FanOutRig.frame(0).length();
            Budget budget = why.endsWith("budget") ? new Budget(8L * 100 * longest, 3 * longest) : Budget.NONE;
            FlightWindow window = why.startsWith("closed") ? new FlightWindow(() -> 0, 2L * longest) : null;
            FanOut fanOut = paced(rig.links, budget, window, true, many, 1);
            for (int number = 0; number < many; number++) {
                fanOut.enqueue(frame(FanOutRig.frame(number), number), BarrierQueue.NO_LANE, 1, 1);
            }
            flushFor(rig, fanOut, 2 * Branch.STALL_NS + 2 * many * 10 * MS);
            assertEquals(many, rig.received.get(0).size(), "held up, each time until the link counts as stalled");
            assertTrue(rig.links[1].frames() < many, "the link has accepted all frames");
        }
    }

    /** Without an order frames cannot be overtaken, so links wait only for the budget, which they share in turn. */
    @Test
    void withoutAnOrderEachLinkSendsAtItsOwnRate() {
        try (FanOutRig rig = new FanOutRig("ipc", 3)) {
            int many = 64;
            int longest = FanOutRig.frame(0).length();
            Budget budget = new Budget(8L * 1_000 * longest, 3 * longest);
            FanOut fanOut = paced(rig.links, budget, new FlightWindow(() -> 0, 2L * longest), false, many, 1);
            for (int number = 0; number < many; number++) {
                fanOut.enqueue(frame(FanOutRig.frame(number), number), BarrierQueue.NO_LANE, 1, 1);
            }
            long start = System.nanoTime();
            while (rig.received.get(0).size() < many || rig.received.get(2).size() < many) {
                assertTrue(System.nanoTime() - start < FanOutRig.PATIENCE_NS, "held up by another link");
                nowNs.addAndGet(MS);
                fanOut.flush();
                rig.poll(0);
                rig.poll(2);
                LockSupport.parkNanos(MS);
                long ahead = rig.links[0].frames() - rig.links[2].frames();
                assertTrue(
                        Math.abs(ahead) <= many / 4, "a link takes the budget of another: " + ahead + " frames ahead");
            }
        }
    }

    private void flushFor(FanOutRig rig, FanOut fanOut, long ns) {
        for (long end = nowNs.get() + ns; nowNs.get() < end; nowNs.addAndGet(MS)) {
            fanOut.flush();
            rig.poll(0);
            LockSupport.parkNanos(MS); // the driver has a clock of its own
        }
    }

    /** Flushes for long enough that no frame moves, while only the first link is read. */
    private static void flushWhileOnlyTheFirstReads(FanOutRig rig, FanOut fanOut) {
        for (int i = 0; i < 300; i++) {
            fanOut.flush();
            rig.poll(0);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void assertSameOnBoth(FanOutRig rig, int frames) {
        for (int i = 0; i < frames; i++) {
            assertArrayEquals(rig.received.get(0).get(i), rig.received.get(1).get(i));
        }
    }

    private static void flushAll(FanOutRig rig, FanOut fanOut, int frames) {
        long start = System.nanoTime();
        while (rig.received.stream().anyMatch(received -> received.size() < frames)) {
            assertTrue(System.nanoTime() - start < FanOutRig.PATIENCE_NS, "not all frames arrived in time");
            fanOut.flush();
            rig.pollAll();
        }
        assertEquals(0, fanOut.backlog());
    }
}
