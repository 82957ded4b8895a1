package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.RepairBench;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.outbox.Budget;
import io.sluice.messaging.outbox.NodeBudget;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who has much to be sent again holds up neither others who have, nor what is broadcast. */
@Timeout(60)
class ResendsTest {
    private static final int WORKERS = 3;
    private static final int FRAMES = 60;

    /** A byte in a microsecond. */
    private static final long RATE = 8_000_000;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** A server that has broadcast some frames, which all trainers ask for. */
    private static final class Rig implements AutoCloseable {
        final RepairBench bench = new RepairBench(driver, WORKERS);
        final int measured;
        final List<Link> links = new ArrayList<>();
        final List<Inbox> inboxes = new ArrayList<>();
        final Resends resends;
        final FrameLog log;
        int sequence;
        String error = "";
        long nowNs;

        Rig(boolean budgeted) {
            FrameWriter writer = bench.writer(0);
            log = new FrameLog(1 << 14, Frame.DATA_LENGTH, 1, 1, -1, (table, clock) -> -1);
            for (int i = 0; i < FRAMES; i++) {
                append();
            }
            int firstStream = bench.newStreams(WORKERS + 1);
            measured = firstStream + WORKERS;
            for (int worker = 0; worker < WORKERS; worker++) {
                inboxes.add(bench.inbox(firstStream + worker, this::onFrame));
            }
            Budget together = budgeted ? new Budget(RATE, bytes()) : Budget.NONE;
            NodeBudget budget = new NodeBudget(Budget.NONE, together, () -> nowNs);
            resends = new Resends(
                    log,
                    (worker, relay) -> open(firstStream + worker),
                    link -> budget.pace(link, Frame.DATA_LENGTH, null),
                    () -> nowNs,
                    writer,
                    WORKERS,
                    bench.transport.counters().node("server 0").tally(CounterType.NODE_FRAMES_RESENT));
            for (int worker = 0; worker < WORKERS; worker++) {
                resends.ask(worker, false, 0, 0, 0);
            }
            Deadline.await("all links are connected", () -> links.stream().allMatch(Link::isConnected));
        }

        void append() {
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[Frame.DATA_LENGTH]);
            DataEncoder data = new DataEncoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder());
            data.envelope().clusterId(5).origin(0);
            data.table(0)
                    .clock(0)
                    .sequence(sequence)
                    .elements(8)
                    .format((short) 5)
                    .valueType((short) 1);
            log.append(0, buffer, Frame.DATA_LENGTH);
            sequence++;
        }

        private Action onFrame(DirectBuffer buffer, int offset, int length, int template, int session) {
            if (ErrorDecoder.TEMPLATE_ID == template) {
                error = new ErrorDecoder()
                        .wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder())
                        .message();
            }
            return Action.CONTINUE;
        }

        private Link open(int stream) {
            Link link = bench.link(stream);
            links.add(link);
            return link;
        }

        /** That a frame takes in a link's log. */
        int bytes() {
            Link link = bench.link(measured);
            int bytes = link.lengthInLog(Frame.DATA_LENGTH);
            link.close();
            return bytes;
        }

        @Override
        public void close() {
            bench.close();
        }
    }

    @Test
    void eachLineGetsItsShareOfABudget() {
        try (Rig rig = new Rig(true)) {
            int bytes = rig.bytes();
            int turns = 10;
            for (int i = 0; i < turns * WORKERS; i++) {
                assertEquals(1, rig.resends.work(rig.nowNs), "a budget for one frame, in turn " + i);
                rig.nowNs += 1_000L * bytes;
            }
            rig.links.forEach(link -> assertEquals(turns, link.frames(), rig.links::toString));
        }
    }

    @Test
    void whoIsFarBehindGetsAFewFramesAtATime() {
        try (Rig rig = new Rig(false)) {
            int sent = rig.resends.work(0);
            assertTrue(sent > 0 && sent <= WORKERS * Resends.MOST_AT_ONCE, sent + " frames at once");
            Deadline.await("all have got all", () -> {
                rig.resends.work(0);
                return rig.resends.frames() == WORKERS * FRAMES;
            });
        }
    }

    @Test
    void whatIsNoLongerKeptIsAnErrorThatNamesIt() {
        try (Rig rig = new Rig(false)) {
            Deadline.await("all have got all", () -> {
                rig.resends.work(0);
                return rig.resends.frames() == WORKERS * FRAMES;
            });
            while (rig.log.givenUp() == 0) {
                rig.append();
            }
            rig.resends.ask(1, false, 0, 0, 0);
            Deadline.await("an error comes", () -> {
                rig.resends.work(0);
                rig.inboxes.get(1).poll(10);
                return !rig.error.isEmpty();
            });
            assertTrue(
                    rig.error.startsWith("misses frame 0 of clock 0 of table 0, of which server 0 has what comes from"),
                    rig.error);
            assertTrue(rig.error.endsWith("raise sluice.retain.length"), rig.error);
        }
    }

    /** One that has left, or that nobody tells of, with frames still to be sent to it. */
    @Test
    void noLinkIsKeptForWhoIsGone() {
        try (Rig rig = new Rig(false)) {
            rig.inboxes.forEach(Inbox::close);
            Deadline.await("nobody listens", () -> rig.links.stream().noneMatch(Link::isConnected));
            assertEquals(0, rig.resends.work(Resends.KEEP_NS));
            rig.links.forEach(link -> assertFalse(link.isClosed(), rig.links::toString));
            assertEquals(0, rig.resends.work(Resends.KEEP_NS + 1));
            rig.links.forEach(link -> assertTrue(link.isClosed(), rig.links::toString));
            rig.resends.ask(0, false, 0, 0, 0);
            assertEquals(WORKERS + 1, rig.links.size(), "another link for who comes back");
        }
    }
}
