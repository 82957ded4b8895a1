package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.api.Budget;
import io.sluice.messaging.bandwidth.StreamPositions;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.FlightWindow;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.messaging.outbox.StreamAcknowledgements;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The counters of a link, with simulated time and queue and a real stream. */
@Timeout(180)
class LinkWatchTest {
    private static final int WINDOW = 256 << 10;
    private static final int LENGTH = 8_000;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Bytes per second: a frame in 8 ms and a bit. */
    private static final long RATE = 1_000_000;

    private final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH));
    private final Waiting waiting = new Waiting();
    private long nowNs = -5_000 * MS;

    /** A queue whose length the test sets. */
    private static final class Waiting implements Backlog {
        int frames;
        long sinceNs;

        @Override
        public int frames() {
            return frames;
        }

        @Override
        public long bytes() {
            return 100L * frames;
        }

        @Override
        public long oldestNs() {
            return frames == 0 ? Long.MAX_VALUE : sinceNs;
        }
    }

    private static FrameHandler.Action take(DirectBuffer buffer, int offset, int length, int template, int session) {
        return FrameHandler.Action.CONTINUE;
    }

    private static StreamPositions positions(Rig rig, Link link) {
        return new StreamPositions(rig.sender.counters().reader(), link.registrationId(), link.position());
    }

    private LinkWatch watch(Link link, StreamPositions positions, Budget budget, FlightWindow window, boolean queues) {
        NanoClock clock = () -> nowNs;
        Pacing pacing = new NodeBudget(budget, Budget.NONE, clock).pace(link, LENGTH, window);
        return new LinkWatch(link, clock, positions, pacing, waiting, LENGTH, queues);
    }

    private static OptionalLong published(Rig rig, CounterType type) {
        CounterReading reading = CounterReading.of(rig.sender.aeron().countersReader());
        return reading.entries().stream()
                .filter(entry -> entry.type() == type)
                .mapToLong(Entry::value)
                .findAny();
    }

    private static void requirePublished(Rig rig, CounterType type, long value) {
        Rig.eventually(() -> assertEquals(OptionalLong.of(value), published(rig, type), type.configName()));
    }

    /** Observes the link every millisecond for a while. */
    private void look(LinkWatch watch, int ms) {
        for (int i = 0; i < ms; i++) {
            nowNs += MS;
            watch.look();
        }
    }

    @Test
    void publishesWhatWaitsAndForHowLong() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Link link = rig.link(rig.inbox("ipc", LinkWatchTest::take));
            LinkWatch watch = watch(link, null, new Budget(8 * RATE, LENGTH + 200), null, true);
            look(watch, 100);
            requirePublished(rig, CounterType.LINK_QUEUED_FRAMES, 0);
            requirePublished(rig, CounterType.LINK_QUEUE_AGE, 0);

            assertTrue(watch.pacing().admits(LENGTH) && link.offer(frame, 0, LENGTH));
            watch.pacing().onSent(LENGTH);
            long sentNs = nowNs;
            long leaksNs = (link.lengthInLog(LENGTH) * 2L - LENGTH - 200) * 1_000_000_000 / RATE;
            waiting.frames = 3;
            waiting.sinceNs = nowNs;
            watch.look();
            look(watch, 200);
            requirePublished(rig, CounterType.LINK_QUEUED_FRAMES, 3);
            requirePublished(rig, CounterType.LINK_QUEUED_BYTES, 300);
            requirePublished(rig, CounterType.LINK_BUDGET_USED, 0);
            Rig.eventually(() -> {
                long age = published(rig, CounterType.LINK_QUEUE_AGE).orElseThrow();
                assertTrue(age > 140 * MS && age <= nowNs - sentNs, "shown every 50 ms: " + age);
            });
            // The budget had no room until it refilled, and has had room since, unused.
            Rig.eventually(() -> {
                long held = published(rig, CounterType.LINK_BUDGET_WAIT).orElseThrow();
                assertTrue(Math.abs(held - leaksNs) <= 2 * MS, held + " ns, leaked in " + leaksNs);
            });
            assertTrue(watch.isSending());
            waiting.frames = 0;
            look(watch, 100);
            requirePublished(rig, CounterType.LINK_QUEUED_FRAMES, 0);
            assertFalse(watch.isSending());
            assertNull(watch.rate(), "nothing to measure in shared memory");
            assertEquals(OptionalLong.empty(), published(rig, CounterType.LINK_RATE));
        }
    }

    @Test
    void publishesNothingOfALinkThatNeedsNeither() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Link link = rig.link(rig.inbox("ipc", LinkWatchTest::take));
            look(watch(link, null, Budget.NONE, null, false), 100);
            assertEquals(OptionalLong.empty(), published(rig, CounterType.LINK_QUEUED_FRAMES));
            assertEquals(OptionalLong.empty(), published(rig, CounterType.LINK_BUDGET_USED));
        }
    }

    /**
     * Time moves as the test says, so rates are exact: a frame each 10 ms. It is the path's if more frames wait, and
     * the application's if none do, or if the budget is what they wait for.
     */
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"more waits", "none waits", "budget"})
    void knowsWhoseRateItIs(String why) {
        try (Rig rig = new Rig(Rig.shortTerms().receiverWindow(WINDOW).mtu(8_192))) {
            Inbox inbox = rig.inbox("udp", LinkWatchTest::take);
            Link link = rig.sender.openLink("test", rig.channels.udpTo(inbox.endpoint()), Rig.STREAM);
            StreamPositions positions = positions(rig, link);
            boolean budgeted = why.equals("budget");
            int bytes = link.lengthInLog(LENGTH);
            LinkWatch watch = watch(
                    link, positions, budgeted ? new Budget(bytes * 100 * 8L, bytes) : Budget.NONE, null, budgeted);
            Rig.until(() -> positions.refresh() && link.isConnected(), () -> inbox.poll(16));
            waiting.frames = why.equals("none waits") ? 0 : 5;
            for (int i = 0; i < 400; i++) {
                assertTrue(watch.pacing().admits(LENGTH));
                Rig.until(() -> link.offer(frame, 0, LENGTH), () -> inbox.poll(16));
                watch.pacing().onSent(LENGTH);
                watch.onSent();
                Rig.until(() -> positions.sent() == link.position(), () -> inbox.poll(16));
                long consumed = link.position() - WINDOW / 4 - 2 * bytes;
                Rig.until(() -> positions.acknowledged() >= consumed, () -> inbox.poll(16));
                look(watch, 10);
            }
            // Of what the application gives, only samples above the estimate count: it errs upwards.
            double error = why.equals("more waits") ? 7 : 20;
            assertEquals(100.0 * bytes, watch.rate().bytesPerSecond(), error * bytes);
            assertEquals(why.equals("more waits"), watch.rate().isBounded());
            requirePublished(rig, CounterType.LINK_RATE, watch.rate().bytesPerSecond());
            Rig.eventually(() -> {
                long flying = published(rig, CounterType.LINK_IN_FLIGHT).orElseThrow();
                assertTrue(flying >= 0 && flying <= WINDOW / 4 + 2 * bytes, flying + " bytes in flight");
            });
        }
    }

    /** The first limit needs no interpretation: the driver publishes what was consumed. */
    @Test
    void aLateLookDoesNotMakeAcknowledgementsLag() {
        try (Rig rig = new Rig(Rig.shortTerms().receiverWindow(WINDOW).mtu(8_192))) {
            Inbox inbox = rig.inbox("udp", LinkWatchTest::take);
            Link link = rig.sender.openLink("test", rig.channels.udpTo(inbox.endpoint()), Rig.STREAM);
            StreamPositions positions = positions(rig, link);
            StreamPositions early = positions(rig, link);
            Rig.until(() -> early.refresh() && early.acknowledged() > link.position() / 2, () -> {
                if (link.position() < WINDOW) {
                    link.offer(frame, 0, LENGTH);
                }
                inbox.poll(16);
            });
            StreamAcknowledgements acknowledgements = new StreamAcknowledgements(positions, WINDOW);
            Rig.until(
                    () -> link.position() - acknowledgements.acknowledged() <= WINDOW / 4 + LENGTH,
                    () -> inbox.poll(16));
            assertTrue(positions.window() <= WINDOW, "published, not learnt");
            assertTrue(acknowledgements.acknowledged() <= link.position());
        }
    }

    /** What a receiver does not consume closes the window long before the log or the receiver's own window is full. */
    @Test
    void acknowledgementsOpenTheWindow() {
        try (Rig rig = new Rig(Rig.shortTerms().receiverWindow(WINDOW).mtu(8_192))) {
            Inbox inbox = rig.inbox("udp", LinkWatchTest::take);
            Link link = rig.sender.openLink("test", rig.channels.udpTo(inbox.endpoint()), Rig.STREAM);
            StreamPositions positions = positions(rig, link);
            FlightWindow window = new FlightWindow(new StreamAcknowledgements(positions, WINDOW), WINDOW / 2);
            LinkWatch watch = watch(link, positions, Budget.NONE, window, true);
            Rig.until(() -> positions.refresh() && link.isConnected(), () -> inbox.poll(16));
            for (int round = 0; round < 40; round++) { // several terms, with the padding at their ends
                Rig.until(() -> !watch.pacing().admits(LENGTH), () -> {
                    if (link.offer(frame, 0, LENGTH)) {
                        watch.pacing().onSent(LENGTH);
                        watch.onSent();
                    }
                });
                long flying = link.position() - positions.acknowledged();
                assertTrue(flying <= WINDOW / 2 && flying > WINDOW / 2 - 2 * LENGTH, flying + " bytes in flight");
                Rig.until(() -> watch.pacing().admits(LENGTH), () -> inbox.poll(16));
            }
        }
    }

    /** What is sent is read at once, or not at all for a while. */
    @Test
    void knowsWhatAReceiverLeavesUnread() {
        // Where no rate is known, a window follows the measured rate of its stream, and on a slow machine half of the
        // largest window is more than the receiver admits.
        Driver.Context rateKnown = new Driver.Context().egressRate(10_000_000_000L);
        try (Rig rig = new Rig(Rig.shortTerms().receiverWindow(WINDOW).mtu(8_192), rateKnown)) {
            Inbox inbox = rig.inbox("udp", LinkWatchTest::take);
            Link link = rig.sender.openLink("test", rig.channels.udpTo(inbox.endpoint()), Rig.STREAM);
            StreamPositions positions = positions(rig, link);
            LinkWatch watch = watch(link, positions, Budget.NONE, null, false);
            assertFalse(watch.isUnread(), "no receiver");
            Rig.until(() -> positions.refresh() && link.isConnected(), () -> inbox.poll(16));
            for (int round = 0; round < 5; round++) {
                for (int frames = 0; frames < 3 * WINDOW / LENGTH; frames++) {
                    Rig.until(() -> link.offer(frame, 0, LENGTH), () -> inbox.poll(16));
                    watch.onSent();
                    Rig.until(() -> !watch.isSending() && !watch.isUnread(), () -> inbox.poll(16));
                }
                for (int bytes = 0; bytes < WINDOW / 2; bytes += LENGTH) {
                    assertTrue(link.offer(frame, 0, LENGTH));
                }
                Rig.until(() -> !watch.isSending(), Thread::onSpinWait);
                assertTrue(watch.isUnread(), "half a window is not read");
            }
        }
    }
}
