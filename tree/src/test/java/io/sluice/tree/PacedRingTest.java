package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.Drawn;
import io.sluice.messaging.Link;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.outbox.Acknowledgements;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.FlightWindow;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.tree.FanOutRig.Prepared;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A relay's ring within budgets, in simulated time. */
@Timeout(180)
class PacedRingTest {
    private static final int RECEIVERS = 3;
    private static final int COUNT = 300;
    private static final Prepared[] FRAMES = new Prepared[64];

    static {
        for (int i = 0; i < FRAMES.length; i++) {
            FRAMES[i] = FanOutRig.frame(i);
        }
    }

    private final AtomicLong nowNs = new AtomicLong();
    private final NanoClock clock = nowNs::get;
    private final List<Backlog> backlogs = new ArrayList<>();

    private FrameRing ring(Link[] links, Budget perLink, Budget together, FlightWindow ofFirst, int capacity) {
        NodeBudget budget = new NodeBudget(perLink, together, clock);
        int longest = FRAMES[0].length();
        return new FrameRing(
                links,
                (link, backlog) -> {
                    backlogs.add(backlog);
                    FlightWindow window = link == links[0] ? ofFirst : null;
                    return new LinkWatch(link, clock, null, budget.pace(link, longest, window), backlog, longest, true);
                },
                clock,
                capacity);
    }

    private static boolean pass(FrameRing ring, int number) {
        Prepared frame = FRAMES[number % FRAMES.length];
        return ring.pass(frame.memory().buffer(), 0, frame.length());
    }

    /** The bytes that each link had sent at some time. */
    private record Sample(long atNs, long[] bytes) {
        long all() {
            return Arrays.stream(bytes).sum();
        }
    }

    /** Receivers are slow at times, the ring fills up at times, and time advances in jumps. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"ipc", "udp"})
    void inEverySpanOfTimeBudgetsAreKeptAndNothingIsLost(String medium) {
        for (long seed : Seeds.of(4)) {
            SplittableRandom random = new SplittableRandom(seed);
            String replay = "seed " + seed + ": ";
            try (FanOutRig rig = new FanOutRig(medium, RECEIVERS)) {
                int frame = rig.links[0].lengthInLog(FRAMES[0].length());
                Budget perLink = new Budget(random.nextLong(1, 9) * 1_000_000, random.nextInt(frame, 4 * frame));
                Budget together = new Budget(random.nextLong(2, 20) * 1_000_000, random.nextInt(frame, 6 * frame));
                FrameRing ring = ring(rig.links, perLink, together, null, random.nextInt(16 << 10, 128 << 10));
                List<Sample> samples = run(rig, ring, random, replay);
                requireKept(samples, perLink, together, replay);
                for (List<byte[]> received : rig.received) {
                    for (int i = 0; i < COUNT; i++) {
                        FanOutRig.requireSame(List.of(FRAMES[i % FRAMES.length]), List.of(received.get(i)));
                    }
                }
                assertEquals(0, ring.backlog(), replay);
            }
        }
    }

    private List<Sample> run(FanOutRig rig, FrameRing ring, SplittableRandom random, String replay) {
        List<Sample> samples = new ArrayList<>();
        int passed = 0;
        int refused = 0;
        while (rig.received.stream().anyMatch(frames -> frames.size() < COUNT)) {
            assertTrue(!Thread.interrupted(), replay + "the time is up at frame " + passed);
            nowNs.addAndGet(random.nextLong(3_000_000));
            if (passed < COUNT && pass(ring, passed)) {
                passed++;
            } else if (passed < COUNT) {
                refused++;
            }
            ring.flush();
            ring.look();
            samples.add(new Sample(
                    nowNs.get(), Arrays.stream(rig.links).mapToLong(Link::bytes).toArray()));
            for (int receiver = 0; receiver < RECEIVERS; receiver++) {
                if (passed == COUNT || random.nextInt(receiver + 1) == 0) {
                    rig.poll(receiver);
                }
            }
        }
        assertTrue(refused > 0, replay + "the ring was never full");
        return samples;
    }

    private static void requireKept(List<Sample> samples, Budget perLink, Budget together, String replay) {
        int step = Math.max(1, samples.size() / 1_500);
        for (int from = 0; from < samples.size(); from += step) {
            Sample before = samples.get(from);
            for (int to = from + 1; to < samples.size(); to += step) {
                Sample after = samples.get(to);
                double seconds = (after.atNs - before.atNs) / 1e9;
                requireWithin(after.all() - before.all(), seconds, together, replay + "all links");
                for (int link = 0; link < RECEIVERS; link++) {
                    requireWithin(after.bytes[link] - before.bytes[link], seconds, perLink, replay + "link " + link);
                }
            }
        }
    }

    private static void requireWithin(long bytes, double seconds, Budget budget, String sender) {
        double allowed = seconds * budget.rate() / 8 + budget.burst();
        assertTrue(bytes <= allowed, sender + " sent " + bytes + " bytes in " + seconds + " s, allowed " + allowed);
    }

    /** A window that never opens represents a path that acknowledges nothing. */
    @Test
    void aClosedFlightWindowHoldsUpOnlyItsOwnLink() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            FlightWindow window = new FlightWindow(
                    new Acknowledgements() {
                        @Override
                        public long acknowledged() {
                            return 0;
                        }

                        @Override
                        public long unreported() {
                            return 0;
                        }
                    },
                    2L * rig.links[0].lengthInLog(FRAMES[0].length()));
            FrameRing ring = ring(rig.links, Budget.NONE, Budget.NONE, window, 1 << 20);
            for (int i = 0; i < 20; i++) {
                assertTrue(pass(ring, i), "frame " + i);
            }
            long start = System.nanoTime();
            while (rig.links[1].frames() < 20) {
                assertTrue(System.nanoTime() - start < FanOutRig.PATIENCE_NS, "the other link waits");
                ring.flush();
                rig.pollAll();
            }
            assertEquals(2, rig.links[0].frames());
        }
    }

    /** Another thread takes all available bytes of the node's budget; time advances in steps. */
    @Test
    void stalledLinkIsSkippedWhileAnotherThreadUsesUpTheBudget() {
        long stepNs = 100_000;
        long patienceNs = 200 * stepNs;
        try (FanOutRig rig = new FanOutRig("ipc", 3)) {
            int length = FRAMES[0].length();
            int frame = rig.links[0].lengthInLog(length);
            NodeBudget budget = new NodeBudget(Budget.NONE, new Budget(80_000_000, frame), clock);
            NodeBudget ofRing = budget.forAnotherThread();
            FrameRing ring = new FrameRing(
                    new Link[] {rig.links[0], rig.links[1]},
                    (link, backlog) ->
                            new LinkWatch(link, clock, null, ofRing.pace(link, length, null), backlog, length, true),
                    clock,
                    4 * length);
            List<String> skipped = new ArrayList<>();
            ring.skipStanding(patienceNs, skipped::add);
            Pacing other = budget.pace(rig.links[2], length, null);
            int passed = 0;
            long fullNs = 0;
            while (skipped.isEmpty()) {
                nowNs.addAndGet(stepNs);
                other.offer(FRAMES[0].memory().buffer(), 0, length);
                rig.poll(2);
                if (pass(ring, passed)) {
                    passed++;
                    fullNs = nowNs.get();
                }
                awaitRoom(rig, 0); // the receiver of link 1 reads nothing
                ring.flush();
                assertTrue(nowNs.get() - fullNs <= 2 * patienceNs, "link 1 is not skipped");
            }
            assertEquals(List.of(rig.links[1].label()), skipped);
        }
    }

    /** Reads until the driver, which has a clock of its own, gives room: otherwise a link would seem stalled. */
    private static void awaitRoom(FanOutRig rig, int receiver) {
        long startNs = System.nanoTime();
        do {
            assertTrue(System.nanoTime() - startNs < FanOutRig.PATIENCE_NS, "a link that is read has no room");
            rig.poll(receiver);
        } while (rig.links[receiver].room() <= 0);
    }

    @Test
    void reportsTheBacklogAndItsAge() {
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            int frame = rig.links[0].lengthInLog(FRAMES[0].length());
            FrameRing ring = ring(rig.links, new Budget(8_000_000, frame), Budget.NONE, null, 1 << 20);
            requireWaiting(0, Long.MAX_VALUE);
            nowNs.set(1_000);
            assertTrue(pass(ring, 0));
            requireWaiting(0, Long.MAX_VALUE);
            nowNs.set(2_000);
            assertTrue(pass(ring, 1));
            nowNs.set(3_000);
            assertTrue(pass(ring, 2));
            requireWaiting(2, 2_000);
            nowNs.addAndGet(1_000L * frame); // a byte a microsecond
            assertEquals(2, ring.flush(), "one on each link");
            requireWaiting(1, 3_000);
            nowNs.addAndGet(1_000L * frame);
            ring.flush();
            requireWaiting(0, Long.MAX_VALUE);
        }
    }

    private void requireWaiting(int frames, long sinceNs) {
        for (Backlog backlog : backlogs) {
            assertEquals(frames, backlog.frames());
            assertEquals(frames > 0, backlog.bytes() >= (long) frames * FRAMES[0].length() && backlog.bytes() > 0);
            assertEquals(sinceNs, backlog.oldestNs());
        }
    }

    @Test
    void pacingAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (FanOutRig rig = new FanOutRig("ipc", 2)) {
            rig.record(false);
            int frame = rig.links[0].lengthInLog(FRAMES[0].length());
            FrameRing ring = ring(rig.links, Budget.NONE, new Budget(80_000_000, 3 * frame), null, 32 << 10);
            long least = Long.MAX_VALUE;
            // The compiler works in the background: measure in batches until one is clean, or give up.
            for (int batch = 0; batch < 60 && least > 0; batch++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 4_000; i++) {
                    nowNs.addAndGet(500_000);
                    pass(ring, i % FRAMES.length);
                    ring.look();
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
}
