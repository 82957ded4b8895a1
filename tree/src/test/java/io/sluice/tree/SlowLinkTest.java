package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Budget;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.FanOutRig.Prepared;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One of a ring's three receivers takes a frame only now and then, and never stands. Time is in the test's hands: in
 * each of its steps, of a millisecond, one frame comes, and the receivers that keep up take all there is.
 */
@Timeout(120)
class SlowLinkTest {
    private static final int RECEIVERS = 3;
    private static final int SLOW = 2;
    private static final long STEP_NS = 1_000_000;

    /** For so long it has to be slow: steps. */
    private static final int PATIENCE = 1_280;

    private static final int AT_A_TIME = 4;

    private static final int SPAN = PATIENCE / RingPace.SPANS;

    private final List<Told> told = new ArrayList<>();
    private final List<Prepared> sent = new ArrayList<>();
    private long nowNs;
    private Prepared next;

    /** Steps since a frame was last taken, and the most there were. */
    private int waited;

    private int longestWait;

    private record Told(Link link, long taken, long came) {}

    private FrameRing ring(FanOutRig rig, int capacity, boolean lettingGo) {
        told.clear();
        sent.clear();
        next = FanOutRig.frame(0);
        longestWait = 0;
        return watched(new FrameRing(rig.links, null, () -> nowNs, capacity), lettingGo);
    }

    private FrameRing watched(FrameRing ring, boolean lettingGo) {
        return watched(ring, lettingGo, new Uplink());
    }

    private FrameRing watched(FrameRing ring, boolean lettingGo, Uplink uplink) {
        ring.watchPace(
                PATIENCE * STEP_NS, lettingGo, uplink, (link, taken, came) -> told.add(new Told(link, taken, came)));
        return ring;
    }

    private void pass(FrameRing ring) {
        nowNs += STEP_NS;
        if (ring.pass(next.memory().buffer(), 0, next.length())) {
            sent.add(next);
            next = FanOutRig.frame(sent.size());
            waited = 0;
        }
        waited++;
        longestWait = Math.max(longestWait, waited);
    }

    /** A step in which a frame comes, and the slow one takes what it takes. */
    private void step(FanOutRig rig, FrameRing ring, boolean slowTakes) {
        pass(ring);
        if (slowTakes) {
            take(rig, SLOW);
        }
        settle(rig, ring);
    }

    /** Takes a few frames, or what is on its way if that is less: enough for the driver to give room. */
    private static void take(FanOutRig rig, int receiver) {
        Link link = rig.links[receiver];
        long wanted = Math.min(rig.received.get(receiver).size() + AT_A_TIME, link.frames());
        long startNs = System.nanoTime();
        while (rig.received.get(receiver).size() < wanted || link.room() <= 0) {
            assertTrue(System.nanoTime() - startNs < FanOutRig.PATIENCE_NS, "there is nothing to take, or no room");
            if (rig.received.get(receiver).size() < wanted) {
                rig.inboxes.get(receiver).poll(1);
            }
        }
    }

    /** The driver may take a moment until it gives room to those who have read all. */
    private void settle(FanOutRig rig, FrameRing ring) {
        long startNs = System.nanoTime();
        boolean settled = false;
        while (!settled) {
            assertTrue(System.nanoTime() - startNs < FanOutRig.PATIENCE_NS, "receivers that read all get no room");
            ring.flush();
            settled = true;
            for (int receiver = 0; receiver < SLOW; receiver++) {
                rig.poll(receiver);
                settled &= rig.received.get(receiver).size() == sent.size() && rig.links[receiver].room() > 0;
            }
        }
    }

    private static long number(byte[] frame) {
        DataDecoder data = new DataDecoder();
        data.wrapAndApplyHeader(new UnsafeBuffer(frame), 0, new MessageHeaderDecoder());
        assertEquals(DataDecoder.TEMPLATE_ID, Frame.templateId(new UnsafeBuffer(frame), 0));
        return data.clock();
    }

    private static long[] numbers(List<byte[]> frames) {
        return frames.stream().mapToLong(SlowLinkTest::number).toArray();
    }

    private void requireAll(FanOutRig rig, int receiver, String context) {
        assertEquals(sent.size(), rig.received.get(receiver).size(), context);
        FanOutRig.requireSame(sent, rig.received.get(receiver));
    }

    /** Reads all that is on its way to the slow one. */
    private void catchUp(FanOutRig rig, FrameRing ring) {
        long startNs = System.nanoTime();
        while (ring.backlog() > 0 || rig.received.get(SLOW).size() < rig.links[SLOW].frames()) {
            assertTrue(System.nanoTime() - startNs < FanOutRig.PATIENCE_NS, "it does not catch up");
            rig.poll(SLOW);
            ring.flush();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void theOthersWaitForTheStatedTimeAndItGetsWhatItCanTake(String medium) {
        for (long seed = 1; seed <= 4; seed++) {
            String replay = "seed " + seed + ": ";
            SplittableRandom random = new SplittableRandom(seed);
            try (FanOutRig rig = new FanOutRig(medium, RECEIVERS)) {
                int capacity = random.nextInt(64 << 10, 192 << 10);
                FrameRing ring = ring(rig, capacity, true);
                int every = AT_A_TIME * random.nextInt(10, 20);
                int steps = 0;
                for (; told.isEmpty(); steps++) {
                    assertTrue(steps < 5_000, replay + "nobody tells of the slow one");
                    step(rig, ring, steps % every == 0);
                }
                int most = 2 * SPAN + PATIENCE; // from the moment when the ring is full, to the end of a span
                int held = steps - sent.size();
                assertTrue(held <= most, replay + "others have waited " + held + " steps, expected " + most);
                assertEquals(rig.links[SLOW], told.getFirst().link(), replay);
                assertTrue(told.getFirst().taken() * 4 <= told.getFirst().came(), replay + told);

                longestWait = 0;
                waited = 0;
                int before = sent.size();
                for (int i = 0; i < 600; i++) {
                    step(rig, ring, i % every == 0);
                }
                assertEquals(1, longestWait, replay + "somebody still waits for it");
                assertEquals(before + 600, sent.size(), replay);
                assertEquals(1, told.size(), replay + "told once");
                catchUp(rig, ring);
                requireSubsequence(rig, replay);
                requireAll(rig, 0, replay);
                requireAll(rig, 1, replay);
                requireKeptUpAgain(rig, ring, capacity, replay);
            }
        }
    }

    /** In order, none twice, and the last one is there, so that it sees what it misses at once. */
    private void requireSubsequence(FanOutRig rig, String replay) {
        long[] numbers = numbers(rig.received.get(SLOW));
        for (int i = 1; i < numbers.length; i++) {
            assertTrue(numbers[i - 1] < numbers[i], replay + "frame " + numbers[i] + " after " + numbers[i - 1]);
        }
        assertEquals(sent.size() - 1, numbers[numbers.length - 1], replay + "the last frame");
        assertTrue(numbers.length < sent.size(), replay + "there is no gap");
    }

    /** Whoever has taken as much as a ring holds is waited for again, if it stops for less than the stated time. */
    private void requireKeptUpAgain(FanOutRig rig, FrameRing ring, int capacity, String replay) {
        int frames = 2 * capacity / sent.getFirst().length() + 2; // the ring is a power of two
        for (int i = 0; i < frames; i++) {
            step(rig, ring, true);
            catchUp(rig, ring);
        }
        int from = sent.size();
        int had = rig.received.get(SLOW).size();
        for (int i = 0; i < SPAN; i++) {
            step(rig, ring, false);
        }
        assertTrue(longestWait > 1, replay + "nobody has waited for it");
        catchUp(rig, ring);
        List<byte[]> since =
                rig.received.get(SLOW).subList(had, rig.received.get(SLOW).size());
        assertEquals(sent.size() - from, since.size(), replay + "it is served as the others are");
        FanOutRig.requireSame(sent.subList(from, sent.size()), since);
        assertEquals(1, told.size(), replay);
    }

    /** All links share a budget of less than what comes, and it is the last in turn: its frames wait in the ring. */
    @Test
    void whoKeepsUpWithItsBudgetIsServedAgain() {
        try (FanOutRig rig = new FanOutRig("ipc", RECEIVERS)) {
            ring(rig, 64 << 10, true);
            int longest = 2 * next.length();
            long bitsPerStep = (8 * RECEIVERS - 3) * rig.links[0].lengthInLog(next.length());
            Budget together = new Budget(1_000 * bitsPerStep, 2 * longest);
            NodeBudget budget = new NodeBudget(Budget.NONE, together, () -> nowNs);
            FrameRing ring = watched(
                    new FrameRing(
                            rig.links,
                            (link, backlog) -> new LinkWatch(
                                    link, () -> nowNs, null, budget.pace(link, longest, null), backlog, longest, true),
                            () -> nowNs,
                            64 << 10),
                    true);
            for (int i = 0; told.isEmpty(); i++) {
                assertTrue(i < 5_000, "nobody tells of the slow one");
                budgetedStep(rig, ring, i % (15 * AT_A_TIME) == 0);
            }
            int frames = 4 * (64 << 10) / sent.getFirst().length();
            int from = sent.size() + frames;
            while (sent.size() < from + frames) {
                budgetedStep(rig, ring, true);
                readAll(rig, SLOW);
            }
            for (int i = 0; ring.backlog() > 0; i++) {
                assertTrue(i < 5_000, "the budget is not for all");
                nowNs += STEP_NS;
                ring.flush();
                for (int receiver = 0; receiver < RECEIVERS; receiver++) {
                    readAll(rig, receiver);
                }
            }
            List<byte[]> received = rig.received.get(SLOW);
            FanOutRig.requireSame(
                    sent.subList(from, sent.size()),
                    received.subList(received.size() - (sent.size() - from), received.size()));
            assertEquals(1, told.size(), "told once");
        }
    }

    private void budgetedStep(FanOutRig rig, FrameRing ring, boolean slowTakes) {
        pass(ring);
        if (slowTakes) {
            take(rig, SLOW);
        }
        for (int receiver = 0; receiver < SLOW; receiver++) {
            readAll(rig, receiver);
        }
    }

    /** All that is on its way to a receiver; the driver may take a moment until it gives room again. */
    private static void readAll(FanOutRig rig, int receiver) {
        Link link = rig.links[receiver];
        long startNs = System.nanoTime();
        while (rig.received.get(receiver).size() < link.frames() || link.room() <= 0) {
            assertTrue(System.nanoTime() - startNs < FanOutRig.PATIENCE_NS, "who reads all gets no room");
            rig.poll(receiver);
        }
    }

    /** Where nobody could tell it what it misses for ever, the others wait, and it is told of. */
    @Test
    void whoIsNotLetGoMissesNothing() {
        try (FanOutRig rig = new FanOutRig("ipc", RECEIVERS)) {
            FrameRing ring = ring(rig, 64 << 10, false);
            for (int i = 0; i < 4 * PATIENCE; i++) {
                step(rig, ring, i % (15 * AT_A_TIME) == 0);
            }
            assertEquals(1, told.size(), "told once");
            catchUp(rig, ring);
            for (int receiver = 0; receiver < RECEIVERS; receiver++) {
                requireAll(rig, receiver, "receiver " + receiver);
            }
        }
    }

    /** A relay that is behind may wait for a child of its own, who is to be found there first. */
    @Test
    void whoRelaysIsGivenLonger() {
        int[] steps = new int[2];
        for (int relays = 0; relays < 2; relays++) {
            try (FanOutRig rig = new FanOutRig("ipc", RECEIVERS)) {
                FrameRing ring = ring(rig, 64 << 10, true);
                ring.relaysBehind(SLOW, relays);
                for (; told.isEmpty(); steps[relays]++) {
                    assertTrue(steps[relays] < 5_000, "nobody tells of the slow one");
                    step(rig, ring, steps[relays] % (15 * AT_A_TIME) == 0);
                }
            }
        }
        assertEquals(RingPace.SPANS_PER_RELAY * SPAN, steps[1] - steps[0], SPAN);
    }

    /** All take a share of what comes, as children do that share an uplink: to let one go would gain nothing. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void ofThoseWhoAreSlowTogetherNoneIsToldOf(int every) {
        try (FanOutRig rig = new FanOutRig("udp", RECEIVERS)) {
            FrameRing ring = ring(rig, 64 << 10, true);
            for (int i = 0; i < 4 * PATIENCE; i++) {
                pass(ring);
                for (int receiver = 0; receiver < RECEIVERS && i % (every * AT_A_TIME) == 0; receiver++) {
                    take(rig, receiver);
                }
                ring.flush();
            }
            assertTrue(sent.size() < 3 * PATIENCE, "nobody waits");
            assertEquals(List.of(), told);
        }
    }

    /** Three rings share an uplink, which is full: too little goes to each for any of them to see that alone. */
    @Test
    void ofThoseWhoShareAnUplinkWithOtherRingsNoneIsToldOf() {
        assertEquals(List.of(), toldOfThreeRings(true));
    }

    /** The other rings move as fast as frames come for them: the uplink has room, and the receiver is slow. */
    @Test
    void ringsThatAreNotHeldUpExcuseNobody() {
        assertEquals(1, toldOfThreeRings(false).size(), told::toString);
    }

    /**
     * Rings with one receiver each. All take what comes, for a while; then that of the first ring takes a fifth, and
     * those of the others, too, or go on taking all.
     */
    private List<Told> toldOfThreeRings(boolean othersAreHeldUp) {
        try (FanOutRig rig = new FanOutRig("udp", RECEIVERS)) {
            ring(rig, 64 << 10, true);
            Uplink uplink = new Uplink();
            FrameRing[] rings = new FrameRing[RECEIVERS];
            for (int i = 0; i < rings.length; i++) {
                rings[i] = watched(new FrameRing(new Link[] {rig.links[i]}, null, () -> nowNs, 64 << 10), true, uplink);
            }
            for (int i = 0; i < 2 * SPAN + 4 * PATIENCE; i++) {
                nowNs += STEP_NS;
                for (int receiver = 0; receiver < RECEIVERS; receiver++) {
                    if (i < 2 * SPAN || receiver > 0 && !othersAreHeldUp) {
                        readAll(rig, receiver);
                    } else if (i % (5 * AT_A_TIME) == 0) {
                        take(rig, receiver);
                    }
                    rings[receiver].pass(next.memory().buffer(), 0, next.length());
                }
            }
            return List.copyOf(told);
        }
    }
}
