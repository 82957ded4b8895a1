package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One budget and several threads, in simulated time. */
@Timeout(180)
class SharedBudgetTest {
    private static final int ELEMENTS = 500;

    /** Bits per second: a byte a microsecond. */
    private static final long RATE = 8_000_000;

    private final AtomicLong nowNs = new AtomicLong();

    /** The clock is stopped while threads send all that the budget admits. */
    @Test
    void threadsThatSendAtOnceNeverExceedIt() {
        Frames frames = new Frames();
        int length = frames.encode(1, ELEMENTS);
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("ipc", (buffer, offset, size, template, session) -> Action.CONTINUE);
            Link[] links = {rig.link(inbox), rig.link(inbox), rig.link(inbox)};
            int bytes = links[0].lengthInLog(length);
            int burst = 20 * bytes;
            NodeBudget budget = new NodeBudget(Budget.NONE, new Budget(RATE, burst), nowNs::get);
            Pacing[] pacings = {
                budget.pace(links[0], length, null),
                budget.forAnotherThread().pace(links[1], length, null),
                budget.forAnotherThread().pace(links[2], length, null)
            };
            long allowed = burst;
            for (int round = 0; round < 500; round++) {
                awaitRoom(inbox, burst, links);
                send(pacings, frames, length);
                long sent = 0;
                for (Link link : links) {
                    sent += link.bytes();
                }
                // Less than a frame more would fit. The last thread may have left room for a frame to others.
                assertTrue(
                        sent <= allowed && sent > allowed - 2 * bytes,
                        "round " + round + ": " + sent + " bytes sent, " + allowed + " allowed");
                inbox.poll(64);
                nowNs.addAndGet(8_000_000_000L / RATE * 7 * bytes);
                allowed += 7 * bytes;
            }
        }
    }

    /** Waits until the driver has made room in the logs, so that only the budget can refuse a frame. */
    private static void awaitRoom(Inbox inbox, int bytes, Link... links) {
        Rig.until(() -> Arrays.stream(links).allMatch(link -> link.room() > bytes), () -> inbox.poll(64));
    }

    private static void send(Pacing[] pacings, Frames frames, int length) {
        CyclicBarrier start = new CyclicBarrier(pacings.length);
        List<Thread> threads = new ArrayList<>();
        for (Pacing pacing : pacings) {
            threads.add(Thread.startVirtualThread(() -> {
                await(start);
                for (int tries = 0; tries < 30; tries++) {
                    pacing.offer(frames.buffer(), 0, length);
                }
            }));
        }
        threads.forEach(SharedBudgetTest::join);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private record Sent(long atNs, int bytes) {}

    /** Every thread gets its frames sent, however small the other's are, and together they keep the budget. */
    @Test
    void neitherSmallNorLargeFramesStarve() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("ipc", (buffer, offset, size, template, session) -> Action.CONTINUE);
            Property.holds(20, random -> {
                Frames small = new Frames();
                Frames large = new Frames();
                int smallLength = small.encode(1, random.nextInt(1, 50));
                int largeLength = large.encode(1, random.nextInt(400, 3_000));
                Link[] links = {rig.link(inbox), rig.link(inbox)};
                int burst = links[1].lengthInLog(largeLength) + random.nextInt(100);
                NodeBudget budget = new NodeBudget(Budget.NONE, new Budget(RATE, burst), nowNs::get);
                Pacing ofSmall = budget.pace(links[0], largeLength, null);
                Pacing ofLarge = budget.forAnotherThread().pace(links[1], largeLength, null);
                List<Sent> sent = new ArrayList<>();
                for (int step = 0; step < 2_000; step++) {
                    nowNs.addAndGet(random.nextLong(200_000));
                    awaitRoom(inbox, burst, links);
                    while (ofSmall.offer(small.buffer(), 0, smallLength)) {
                        sent.add(new Sent(nowNs.get(), links[0].lengthInLog(smallLength)));
                    }
                    if (ofLarge.offer(large.buffer(), 0, largeLength)) {
                        sent.add(new Sent(nowNs.get(), links[1].lengthInLog(largeLength)));
                    }
                    inbox.poll(64);
                }
                assertTrue(links[1].frames() > 5, links[1].frames() + " large frames got through");
                assertTrue(links[0].frames() > 5, links[0].frames() + " small frames got through");
                assertEquals(
                        links[0].bytes() + links[1].bytes(),
                        sent.stream().mapToLong(Sent::bytes).sum());
                requireKept(sent, burst);
                for (Link link : links) {
                    link.close();
                }
            });
        }
    }

    private static void requireKept(List<Sent> sent, int burst) {
        for (int from = 0; from < sent.size(); from++) {
            long bytes = 0;
            for (Sent frame : sent.subList(from, sent.size())) {
                bytes += frame.bytes;
                double allowed = (frame.atNs - sent.get(from).atNs) / 8e9 * RATE + burst;
                assertTrue(bytes <= allowed, bytes + " bytes sent, allowed " + allowed);
            }
        }
    }

    /** A thread that waits for its own link's budget does not take the turns of others. */
    @Test
    void aLinkBudgetHoldsUpNoOther() {
        Frames frames = new Frames();
        int length = frames.encode(1, ELEMENTS);
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("ipc", (buffer, offset, size, template, session) -> Action.CONTINUE);
            Link one = rig.link(inbox);
            Link other = rig.link(inbox);
            int bytes = one.lengthInLog(length);
            NodeBudget budget = new NodeBudget(new Budget(RATE, bytes), new Budget(4 * RATE, 4 * bytes), nowNs::get);
            Pacing ofOne = budget.pace(one, length, null);
            Pacing ofOther = budget.forAnotherThread().pace(other, length, null);
            awaitRoom(inbox, 6 * bytes, one, other);
            assertTrue(ofOne.offer(frames.buffer(), 0, length));
            for (int i = 1; i <= 5; i++) {
                assertTrue(!ofOne.offer(frames.buffer(), 0, length), "its own budget is used up");
                assertTrue(ofOther.offer(frames.buffer(), 0, length), "frame " + i);
                nowNs.addAndGet(8_000_000_000L / RATE * bytes);
                assertTrue(ofOne.offer(frames.buffer(), 0, length));
            }
        }
    }
}
