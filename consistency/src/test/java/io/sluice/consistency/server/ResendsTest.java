package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.sbe.DataEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
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
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Repeating many frames for one receiver delays neither other receivers nor the broadcast. */
@Timeout(240)
class ResendsTest {
    private static final int WORKERS = 3;
    private static final int FRAMES = 60;

    /** One byte per microsecond. */
    private static final long RATE = 8_000_000;

    /** The driver keeps a closed client's streams for a while, so each rig has streams of its own. */
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

    /** A server that has broadcast some frames, which all trainers request. */
    private static final class Rig implements AutoCloseable {
        final Transport transport = driver.connect();
        final List<Link> links = new ArrayList<>();
        final List<Inbox> inboxes = new ArrayList<>();
        final Resends resends;
        long nowNs;

        Rig(boolean budgeted) {
            ClusterSettings settings = TestCluster.terms().workers(WORKERS).build();
            List<Place> nodes = IntStream.range(0, settings.servers() + WORKERS)
                    .mapToObj(node -> new Place(node, "h", "h:" + node))
                    .toList();
            FrameWriter writer =
                    new FrameWriter(new ClusterPlan(5, 0, settings, nodes), 0, null, FrameSeal.checksumOnly());
            FrameLog log = new FrameLog(1 << 20, Frame.DATA_LENGTH, 1, 1, -1, table -> -1);
            for (int i = 0; i < FRAMES; i++) {
                UnsafeBuffer buffer = new UnsafeBuffer(new byte[Frame.DATA_LENGTH]);
                DataEncoder data = new DataEncoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder());
                data.envelope().clusterId(5).origin(0);
                data.table(0).clock(0).sequence(i).elements(8).format((short) 5).valueType((short) 1);
                log.of(0).onFinished(buffer, Frame.DATA_LENGTH);
            }
            int firstStream = NEXT_STREAM.getAndAdd(WORKERS);
            for (int worker = 0; worker < WORKERS; worker++) {
                FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
                inboxes.add(transport.openIpcInbox(
                        "test",
                        firstStream + worker,
                        validator,
                        (buffer, offset, length, template, session) -> Action.CONTINUE));
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
                    transport.counters().node("server 0").counter(CounterType.NODE_FRAMES_RESENT));
            for (int worker = 0; worker < WORKERS; worker++) {
                resends.ask(worker, false, 0, 0, 0);
            }
            Deadline.await(
                    "all links have room",
                    () -> links.stream().allMatch(link -> link.isConnected() && link.room() > 0));
        }

        private Link open(int stream) {
            Link link = transport.openLink("test", transport.channels().ipc(), stream);
            links.add(link);
            return link;
        }

        /** Bytes of a frame in a link's log. */
        int bytes() {
            Link link = transport.openLink("measured", transport.channels().ipc(), 6_999);
            int bytes = link.lengthInLog(Frame.DATA_LENGTH);
            link.close();
            return bytes;
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    @Test
    void eachLineGetsItsShareOfABudget() {
        try (Rig rig = new Rig(true)) {
            int bytes = rig.bytes();
            int turns = 10;
            for (int i = 0; i < turns * WORKERS; i++) {
                assertEquals(1, rig.resends.work(rig.nowNs), "the budget allows one frame, pass " + i);
                rig.nowNs += 1_000L * bytes;
            }
            rig.links.forEach(link -> assertEquals(turns, link.frames(), rig.links::toString));
        }
    }

    @Test
    void aReceiverThatIsFarBehindGetsAFewFramesAtATime() {
        try (Rig rig = new Rig(false)) {
            int sent = rig.resends.work(0);
            assertTrue(sent > 0 && sent <= WORKERS * ResendLine.MOST_AT_ONCE, sent + " frames at once");
            Deadline.await("all workers have all frames", () -> {
                rig.resends.work(0);
                return rig.resends.frames() == WORKERS * FRAMES;
            });
        }
    }

    /** Frames are still queued for a worker that has left or ended silently. */
    @Test
    void noLinkIsKeptForAWorkerThatHasLeft() {
        try (Rig rig = new Rig(false)) {
            rig.inboxes.forEach(Inbox::close);
            // The driver detects the end of the receiver, and then reduces the link's room to zero.
            Deadline.await(
                    "no link has room",
                    () -> rig.links.stream().allMatch(link -> !link.isConnected() && link.room() <= 0));
            assertEquals(0, rig.resends.work(Resends.KEEP_NS));
            rig.links.forEach(link -> assertFalse(link.isClosed(), rig.links::toString));
            assertEquals(0, rig.resends.work(Resends.KEEP_NS + 1));
            rig.links.forEach(link -> assertTrue(link.isClosed(), rig.links::toString));
            rig.resends.ask(0, false, 0, 0, 0);
            assertEquals(WORKERS + 1, rig.links.size(), "a new link for the worker that rejoined");
        }
    }
}
