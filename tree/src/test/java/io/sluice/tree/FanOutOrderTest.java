package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Budget;
import io.sluice.messaging.outbox.FencedQueue;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.FanOutRig.Prepared;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames that wait leave by urgency and behind their fences, and all links carry the same ones in the same order. */
@Timeout(60)
class FanOutOrderTest {
    private static final int FRAMES = 24;

    private final List<Integer> sealed = new ArrayList<>();
    private final AtomicLong nowNs = new AtomicLong();
    private final NanoClock clock = nowNs::get;

    private FanOut paced(Link[] links, int capacity, int lanes) {
        NodeBudget unbounded = new NodeBudget(Budget.NONE, Budget.NONE, clock);
        FanOut.Watching watching =
                (link, backlog) -> new LinkWatch(link, clock, null, unbounded.pace(link, 1, null), backlog, 1, true);
        return new FanOut(links, watching, true, capacity, lanes, 1);
    }

    private OutFrame frame(Prepared prepared, int number) {
        return new OutFrame(prepared.memory().buffer(), () -> {
            sealed.add(number);
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
            assertEquals(List.of(), sealed, "nothing is sealed before it is sent");
            flushAll(rig, fanOut, FRAMES);
            for (int i = 0; i < FRAMES; i++) {
                assertEquals(i, sealed.get(i) * 7 % FRAMES, "by urgency");
                byte[] sent = prepared.get(sealed.get(i)).bytes();
                for (List<byte[]> received : rig.received) {
                    assertArrayEquals(sent, received.get(i));
                }
            }
        }
    }

    @Test
    void aFrameWaitsBehindTheFenceOfItsLaneAlone() {
        try (FanOutRig rig = new FanOutRig("ipc", 1)) {
            FanOut fanOut = paced(rig.links, 8, 2);
            fanOut.enqueue(frame(FanOutRig.frame(0), 0), 0, 9, 1);
            fanOut.enqueueFence(frame(FanOutRig.frame(1), 1), 0);
            fanOut.enqueue(frame(FanOutRig.frame(2), 2), 0, 0, 1);
            fanOut.enqueue(frame(FanOutRig.frame(3), 3), 1, 5, 1);
            flushAll(rig, fanOut, 4);
            assertEquals(List.of(3, 0, 1, 2), sealed);
        }
    }

    /** A link without room holds nobody up, and gets the same frames in the same order later. */
    @Test
    void whatComesLateOvertakesOnlyWhatNoLinkHas() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            int many = 64;
            FanOut fanOut = paced(rig.links, many + 1, 1);
            List<Prepared> prepared = new ArrayList<>();
            for (int number = 0; number < many; number++) {
                prepared.add(FanOutRig.frame(number));
                fanOut.enqueue(frame(prepared.get(number), number), FencedQueue.NO_LANE, 1, 1);
            }
            fanOut.flush(); // until both logs are full
            int inLogs = sealed.size();
            assertTrue(inLogs > 0 && inLogs < many, inLogs + " frames are in the logs");
            prepared.add(FanOutRig.frame(many));
            fanOut.enqueue(frame(prepared.get(many), many), FencedQueue.NO_LANE, 0, 1);
            flushAll(rig, fanOut, many + 1);
            assertEquals(inLogs, sealed.indexOf(many), "it goes next");
            assertEquals(many + 1, rig.received.get(0).size());
            for (int i = 0; i <= many; i++) {
                assertArrayEquals(
                        rig.received.get(0).get(i), rig.received.get(1).get(i));
                assertEquals(sealed.get(i) & 0xFF, rig.received.get(0).get(i)[Frame.DATA_LENGTH] & 0xFF);
            }
        }
    }

    /** Otherwise the queue of a slow link would be the ring, first come first served. */
    @Test
    void aFastLinkDoesNotTakeFromASlowOneWhatCouldBeOvertaken() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            int many = 64;
            FanOut fanOut = paced(rig.links, many + 1, 1);
            List<Prepared> prepared = new ArrayList<>();
            for (int number = 0; number < many; number++) {
                prepared.add(FanOutRig.frame(number));
                fanOut.enqueue(frame(prepared.get(number), number), FencedQueue.NO_LANE, 1, 1);
            }
            flushWhileOnlyTheFirstReads(rig, fanOut);
            int inSlowLog = (int) rig.links[1].frames();
            assertTrue(sealed.size() <= inSlowLog + FanOut.LEAD, sealed.size() + " sealed, " + inSlowLog + " sent");
            prepared.add(FanOutRig.frame(many));
            fanOut.enqueue(frame(prepared.get(many), many), FencedQueue.NO_LANE, 0, 1);
            flushAll(rig, fanOut, many + 1);
            assertTrue(sealed.indexOf(many) <= inSlowLog + FanOut.LEAD, "it comes at " + sealed.indexOf(many));
            assertSameOnBoth(rig, many + 1);
        }
    }

    @Test
    void aLinkThatStandsHoldsNobodyUp() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            int many = 64;
            FanOut fanOut = paced(rig.links, many, 1);
            for (int number = 0; number < many; number++) {
                fanOut.enqueue(frame(FanOutRig.frame(number), number), FencedQueue.NO_LANE, 1, 1);
            }
            flushWhileOnlyTheFirstReads(rig, fanOut);
            assertTrue(rig.received.get(0).size() < many, "the first waits for the second at first");
            nowNs.addAndGet(FanOut.STAND_NS + 1);
            long start = System.nanoTime();
            while (rig.received.get(0).size() < many) {
                assertTrue(System.nanoTime() - start < FanOutRig.PATIENCE_NS, "held up by a link that stands");
                fanOut.flush();
                rig.poll(0);
            }
            assertEquals(0, rig.received.get(1).size());
            flushAll(rig, fanOut, many);
            assertSameOnBoth(rig, many);
        }
    }

    /** Until nothing moves any more, however often it is tried. */
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
