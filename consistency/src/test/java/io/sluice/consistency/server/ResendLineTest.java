package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Property;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.codecs.sbe.RoundCommitEncoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.FrameOrder;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A receiver that requests missing frames gets exactly these, in order, or the reason why it does not. */
@Timeout(240)
class ResendLineTest {
    private static final int TABLES = 3;
    private static final int LENGTH = 256;

    /** The driver keeps a closed client's streams for a while, so each rig has a stream of its own. */
    private static final AtomicInteger NEXT_STREAM = new AtomicInteger(7_000);

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** A server's log with a line, and a receiver that takes frames when they are due. */
    private static final class Rig implements AutoCloseable {
        final long[] atAll = {-1, -1, -1};
        final FrameLog log;
        final List<byte[]> received = new ArrayList<>();

        /** Sessions of the links on which frames have arrived. */
        final Set<Integer> sessions = new HashSet<>();

        /** Frames that arrived by the link, each under its table, clock and sequence. */
        final Set<List<Long>> byLink = new HashSet<>();

        int repeated;
        final FrameOrder order = new FrameOrder(1, TABLES, 0);
        final long[] clocks = new long[TABLES];
        final int[] sequences = new int[TABLES];
        final Transport transport = driver.connect();
        final int stream = NEXT_STREAM.getAndIncrement();
        Inbox inbox;
        final ResendLine line;
        int ahead;
        int past;
        int refusals;
        boolean deaf;
        String error = "";

        Rig(int bound, boolean toRelay) {
            log = new FrameLog(bound, LENGTH, TABLES, 1, -1, table -> atAll[table]);
            listen();
            ClusterSettings settings = TestCluster.terms().build();
            List<Place> nodes = IntStream.range(0, settings.servers() + settings.workers())
                    .mapToObj(node -> new Place(node, "h", "h:" + node))
                    .toList();
            FrameWriter writer =
                    new FrameWriter(new ClusterPlan(5, 0, settings, nodes), 0, null, FrameSeal.checksumOnly());
            NodeBudget budget = new NodeBudget(Budget.NONE, Budget.NONE, System::nanoTime);
            line = new ResendLine(
                    () -> transport.openLink("test", transport.channels().ipc(), stream),
                    link -> budget.pace(link, LENGTH, null),
                    log,
                    writer,
                    toRelay);
            awaitConnected();
        }

        void awaitConnected() {
            Deadline.await(
                    "the link takes frames",
                    () -> line.link().isConnected() && line.link().room() > 0);
        }

        /** Whether the next poll reads what was sent on the link. */
        boolean delivers() {
            Link link = line.link();
            return link.isConnected() && link.room() > 0 && (0 == link.frames() || sessions.contains(link.sessionId()));
        }

        void listen() {
            FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
            inbox = transport.openIpcInbox("test", stream, validator, this::onFrame);
        }

        Action onFrame(DirectBuffer buffer, int offset, int length, int template, int session) {
            sessions.add(session);
            MessageHeaderDecoder header = new MessageHeaderDecoder();
            if (ErrorDecoder.TEMPLATE_ID == template) {
                error = new ErrorDecoder()
                        .wrapAndApplyHeader(buffer, offset, header)
                        .message();
            } else if (ResendDecoder.TEMPLATE_ID == template) {
                ResendDecoder from = new ResendDecoder().wrapAndApplyHeader(buffer, offset, header);
                order.continueAt(0, from.table(), from.clock(), from.sequence());
                refusals++;
            } else if (!deaf) {
                repeated += byLink.add(nameOf(buffer, offset, template)) ? 0 : 1;
                int before = ahead;
                take(buffer, offset, length, template);
                return ahead > before ? Action.ABORT : Action.CONTINUE;
            }
            return Action.CONTINUE;
        }

        private static List<Long> nameOf(DirectBuffer buffer, int offset, int template) {
            MessageHeaderDecoder header = new MessageHeaderDecoder();
            if (RoundCommitDecoder.TEMPLATE_ID == template) {
                RoundCommitDecoder commit = new RoundCommitDecoder().wrapAndApplyHeader(buffer, offset, header);
                return List.of((long) commit.table(), commit.clock(), (long) commit.frames());
            }
            DataDecoder data = new DataDecoder().wrapAndApplyHeader(buffer, offset, header);
            return List.of((long) data.table(), data.clock(), (long) data.sequence());
        }

        private void take(DirectBuffer buffer, int offset, int length, int template) {
            switch (order.turn(0, buffer, offset, template)) {
                case NEXT -> {
                    order.pass(0);
                    byte[] frame = new byte[length];
                    buffer.getBytes(offset, frame);
                    received.add(frame);
                }
                case PAST -> past++;
                default -> ahead++;
            }
        }

        /** Sends all queued frames; returns their number. */
        int workToTheEnd(long nowNs) {
            int frames = 0;
            for (int sent = line.work(nowNs); sent > 0; sent = line.work(nowNs)) {
                assertTrue(sent <= ResendLine.MOST_AT_ONCE, sent + " frames at once");
                frames += sent;
            }
            return frames;
        }

        byte[] broadcast(SplittableRandom random) {
            int table = random.nextInt(TABLES);
            boolean closes = random.nextInt(5) == 0;
            byte[] frame = new byte[closes ? Frame.HEADER_LENGTH + RoundCommitEncoder.BLOCK_LENGTH : Frame.DATA_LENGTH];
            UnsafeBuffer buffer = new UnsafeBuffer(frame);
            if (closes) {
                RoundCommitEncoder commit =
                        new RoundCommitEncoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder());
                commit.envelope().clusterId(5).origin(0);
                commit.table(table)
                        .clock(clocks[table])
                        .frames(sequences[table])
                        .digest(random.nextInt());
            } else {
                DataEncoder data = new DataEncoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder());
                data.envelope().clusterId(5).origin(0);
                data.table(table)
                        .clock(clocks[table])
                        .sequence(sequences[table])
                        .slice(random.nextInt(99));
                data.elements(8).format((short) 5).valueType((short) 1);
            }
            log.of(0).onFinished(buffer, frame.length);
            clocks[table] += closes ? 1 : 0;
            sequences[table] = closes ? 0 : sequences[table] + 1;
            return frame;
        }

        void ask(int table, long nowNs) {
            line.ask(table, order.clock(0, table), order.sequence(0, table), nowNs);
        }

        boolean isUpToDate(int table) {
            return order.clock(0, table) == clocks[table] && order.sequence(0, table) == sequences[table];
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    /**
     * The receiver gets frames with gaps by its tree, and requests the missing ones at random times, often repeatedly.
     */
    @Test
    void requestedFramesArriveInOrderAndNoOthers() {
        Property.holds(10, random -> {
            try (Rig rig = new Rig(1 << 24, random.nextBoolean())) {
                List<byte[]> sent = new ArrayList<>();
                for (int i = 0; i < 600; i++) {
                    byte[] frame = rig.broadcast(random);
                    sent.add(frame);
                    if (random.nextInt(3) > 0) { // otherwise the frame is lost, or deferred because it follows a gap
                        UnsafeBuffer buffer = new UnsafeBuffer(frame);
                        int late = rig.ahead;
                        rig.take(buffer, 0, frame.length, Frame.templateId(buffer, 0));
                        rig.ahead = late;
                    }
                    if (random.nextInt(20) == 0) {
                        rig.ask(random.nextInt(TABLES), i);
                    }
                    if (random.nextInt(4) == 0) {
                        rig.line.work(i);
                    }
                    if (random.nextInt(4) == 0) {
                        rig.inbox.poll(1 + random.nextInt(20));
                    }
                }
                for (int table = 0; table < TABLES; table++) {
                    rig.ask(table, 600);
                    int asked = table;
                    Deadline.await("table " + table + " is up to date", () -> {
                        rig.line.work(600);
                        rig.inbox.poll(10);
                        return rig.isUpToDate(asked);
                    });
                }
                assertEquals(0, rig.ahead, "frames behind a gap");
                assertEquals(0, rig.repeated, "frames were sent twice on one link");
                requireSame(sent, rig.received);
            }
        });
    }

    private static void requireSame(List<byte[]> sent, List<byte[]> received) {
        for (int table = 0; table < TABLES; table++) {
            List<byte[]> expected = of(table, sent);
            List<byte[]> found = of(table, received);
            assertEquals(expected.size(), found.size());
            for (int i = 0; i < found.size(); i++) {
                assertArrayEquals(expected.get(i), found.get(i));
            }
        }
    }

    /** The table has the same offset in data frames and round commits. */
    private static List<byte[]> of(int table, List<byte[]> frames) {
        return frames.stream()
                .filter(frame -> new UnsafeBuffer(frame).getShort(Frame.ENVELOPE_END) == table)
                .toList();
    }

    @Test
    void framesInFlightAreNotSentTwiceUnlessTheyAreLost() {
        Property.holds(1, random -> {
            try (Rig rig = new Rig(1 << 24, true)) {
                for (int i = 0; i < 50; i++) {
                    rig.broadcast(random);
                }
                rig.ask(0, 0);
                int frames = rig.workToTheEnd(0);
                assertTrue(frames > ResendLine.MOST_AT_ONCE);
                rig.ask(0, 1);
                assertEquals(0, rig.line.work(1));
                rig.ask(0, ResendLine.AGAIN_NS + 1);
                rig.awaitConnected();
                assertEquals(frames, rig.workToTheEnd(ResendLine.AGAIN_NS + 1));
                Deadline.await("all frames have arrived", () -> {
                    rig.inbox.poll(10);
                    return rig.past == frames;
                });
                assertEquals(frames, rig.received.size());
            }
        });
    }

    @Test
    void aRequestForOneTableDoesNotRepeatWhatAnotherHasBeenSent() {
        Property.holds(1, random -> {
            try (Rig rig = new Rig(1 << 24, false)) {
                for (int i = 0; i < 60; i++) {
                    rig.broadcast(random);
                }
                rig.ask(1, 0);
                assertEquals(ResendLine.MOST_AT_ONCE, rig.line.work(0));
                rig.ask(0, 0); // its first frames are older
                Deadline.await("both tables are complete", () -> {
                    rig.line.work(0);
                    rig.inbox.poll(10);
                    return rig.isUpToDate(0) && rig.isUpToDate(1);
                });
                assertEquals(0, rig.past, "frames of table 1 arrived twice");
            }
        });
    }

    /** The receiver's end of the link closes and opens again in the middle of the stream. */
    @Test
    void anotherLinkCarriesLostFramesAlthoughFramesBehindThemAreDeferred() {
        Property.holds(1, random -> {
            try (Rig rig = new Rig(1 << 24, random.nextBoolean())) {
                for (int i = 0; i < 100; i++) {
                    rig.broadcast(random);
                }
                rig.deaf = true;
                rig.ask(0, 0);
                int lost = rig.line.work(0);
                Deadline.await("some frames are lost", () -> rig.inbox.poll(10) == 0 && lost == rig.inbox.frames());
                rig.deaf = false;
                assertTrue(rig.workToTheEnd(1) > 0);
                Deadline.await("a frame behind the lost ones has arrived", () -> {
                    rig.inbox.poll(10);
                    return rig.ahead > 0;
                });
                long[] nowNs = {1};
                Deadline.await("the receiver has all frames, and more have arrived since", () -> {
                    if (rig.delivers()) { // otherwise the driver is slow
                        nowNs[0] += ResendLine.AGAIN_NS / 5;
                        if (nowNs[0] < 3 * ResendLine.AGAIN_NS) {
                            rig.broadcast(random);
                        }
                    }
                    rig.ask(0, nowNs[0]);
                    rig.line.work(nowNs[0]);
                    rig.inbox.poll(10);
                    return nowNs[0] > 3 * ResendLine.AGAIN_NS && rig.isUpToDate(0);
                });
            }
        });
    }

    /** Frames arrive one by one, long after they were sent. */
    @Test
    void aSlowLinkIsNotMistakenForALoss() {
        Property.holds(1, random -> {
            try (Rig rig = new Rig(1 << 24, true)) {
                for (int i = 0; i < 100; i++) {
                    rig.broadcast(random);
                }
                rig.ask(0, 0);
                int frames = rig.workToTheEnd(0);
                long[] nowNs = {0};
                Deadline.await("all frames have arrived", () -> {
                    nowNs[0] += rig.inbox.poll(1) * ResendLine.AGAIN_NS / 2;
                    rig.ask(0, nowNs[0]);
                    assertEquals(0, rig.line.work(nowNs[0]), "frames were sent twice");
                    return rig.isUpToDate(0);
                });
                assertEquals(frames, rig.received.size());
            }
        });
    }

    @Test
    void aRelayLearnsWhichFramesNoNodeNeedsAndContinues() {
        Property.holds(1, random -> {
            try (Rig rig = new Rig(1 << 24, true)) {
                while (rig.clocks[0] < 5) {
                    rig.broadcast(random);
                }
                rig.ask(0, 0); // the frames are released while the request waits
                rig.atAll[0] = 4;
                rig.atAll[1] = 1_000;
                rig.atAll[2] = 1_000;
                while (rig.log.released(0) < 4 || rig.log.released(1) < 0 || rig.log.released(2) < 0) {
                    rig.broadcast(random);
                }
                assertNotEquals(0, rig.log.first());
                rig.ask(0, 1);
                Deadline.await("the relay has all frames", () -> {
                    rig.line.work(1);
                    rig.inbox.poll(10);
                    return rig.isUpToDate(0);
                });
                assertEquals(0, rig.ahead);
                assertTrue(rig.refusals > 0);
                assertEquals("", rig.error);
            }
        });
    }

    /**
     * The link is full when the server must notify the relay where to continue, and all requested frames are released
     * in that time.
     */
    @Test
    void aQueuedNoticeToARelayIsKeptWhenItAsksForMore() {
        Property.holds(1, random -> {
            try (Rig rig = new Rig(1 << 24, true)) {
                rig.inbox.close();
                Link link = rig.line.link();
                Deadline.await("the link is full", () -> !link.isConnected() && link.room() <= 0);
                while (rig.clocks[0] < 5) {
                    rig.broadcast(random);
                }
                rig.ask(0, 0);
                long asked = rig.log.end();
                while (rig.log.first() < asked || rig.log.clockFrom(0, rig.log.first()) == rig.clocks[0]) {
                    rig.broadcast(random);
                    Arrays.setAll(rig.atAll, table -> rig.clocks[table] - 3);
                }
                rig.line.work(0);
                rig.ask(1, 1);
                rig.listen();
                Deadline.await("the relay receives both notices", () -> {
                    rig.line.work(1);
                    rig.inbox.poll(1);
                    return rig.refusals == 2;
                });
                assertEquals(rig.log.clockFrom(0, rig.log.first()), rig.order.clock(0, 0));
            }
        });
    }

    @Test
    void framesThatAreNotRetainedAreAnErrorThatNamesThem() {
        Property.holds(1, random -> {
            try (Rig rig = new Rig(1 << 10, true)) {
                while (rig.log.givenUp() < 100) {
                    rig.broadcast(random);
                }
                rig.ask(1, 0);
                Deadline.await("an error is reported", () -> {
                    rig.line.work(0);
                    rig.inbox.poll(10);
                    return !rig.error.isEmpty();
                });
                assertTrue(
                        rig.error.startsWith(
                                "misses frame 0 of clock 0 of table 1, but server 0 retains frames only from"),
                        rig.error);
                assertTrue(rig.error.endsWith("raise sluice.retain.length"), rig.error);
                assertEquals(List.of(), rig.received);
            }
        });
    }
}
