package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DeclarationDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.clock.BulkSynchronous;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.clock.TotallyAsynchronous;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.tree.Place;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that loses frames, or all frames of a link from some moment on, gets each frame once and in order. */
@Timeout(240)
class PushRepairTest {
    private static final int TABLES = 3;
    private static final int ELEMENTS = 16;
    private static final int LONGEST = 256;
    private static final int SERVER = 0;
    private static final List<TableSpec> SPECS = IntStream.range(0, TABLES)
            .mapToObj(table -> new TableSpec(table, "t" + table, 1, ELEMENTS, ELEMENTS))
            .toList();
    private static final PushLog.Round ROUND = new PushLog.Round(4_096, 32);

    private static TestDriver driver;
    private static int streams = 9_000;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** A worker that pushes rounds of some tables, and a server that loses frames. */
    private static final class Rig implements AutoCloseable {
        final Transport transport = driver.connect();
        final int stream = streams++;
        final NodeBudget budget = new NodeBudget(Budget.NONE, Budget.NONE, System::nanoTime);
        final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);
        final FrameWriter writer;
        final PushLog log;
        final PushRepair repair;
        final SingleWriterCounter resent =
                transport.counters().node("worker 0").counter(CounterType.NODE_PUSHES_REPEATED);
        final ClockLedger[] sent = new ClockLedger[TABLES];
        final ClockLedger[] received = new ClockLedger[TABLES];
        final boolean[] gaps = new boolean[TABLES];
        final Inbox inbox;
        Link link;
        Pacing pacing;
        SplittableRandom losing = new SplittableRandom(1);
        double loss;
        int poisoned = -1;
        int announced;
        int reopened;
        int came;
        int declared;
        long framesBefore;
        String gone = "";
        long nowNs = 1;

        Rig(PushLog log) {
            this.log = log;
            ClusterSettings settings = TestCluster.terms().build();
            List<Place> nodes = IntStream.range(0, settings.servers() + settings.workers())
                    .mapToObj(node -> new Place(node, "h", "h:" + node))
                    .toList();
            writer = new FrameWriter(new ClusterPlan(5, 0, settings, nodes), 2, null, FrameSeal.checksumOnly());
            repair = new PushRepair(log.frames(), SERVER, writer, SPECS, 0, _ -> 0, (_, what) -> gone = what, resent);
            Arrays.setAll(sent, _ -> new ClockLedger(0));
            Arrays.setAll(received, _ -> new ClockLedger(0));
            FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
            inbox = transport.openIpcInbox("test", stream, validator, this::onFrame);
            open();
        }

        private void open() {
            link = transport.openLink("test", transport.channels().ipc(), stream);
            pacing = budget.pace(link, LONGEST, null);
            Deadline.await("the link takes frames", () -> link.isConnected() && link.room() > 0);
        }

        private Action onFrame(DirectBuffer buffer, int offset, int length, int template, int session) {
            if (session == poisoned || losing.nextDouble() < loss) {
                return Action.CONTINUE;
            }
            MessageHeaderDecoder header = new MessageHeaderDecoder();
            came++;
            if (ResendDecoder.TEMPLATE_ID == template) {
                announced++;
            } else if (DeclarationDecoder.TEMPLATE_ID == template) {
                declared++;
            } else if (RoundCommitDecoder.TEMPLATE_ID == template) {
                RoundCommitDecoder commit = new RoundCommitDecoder().wrapAndApplyHeader(buffer, offset, header);
                ClockLedger ledger = received[commit.table()];
                boolean ahead = commit.clock() > ledger.round()
                        || commit.clock() == ledger.round() && commit.frames() > ledger.frames();
                gaps[commit.table()] |= ahead;
                if (!ahead && commit.clock() == ledger.round()) {
                    assertTrue(ledger.agrees(commit.frames(), commit.digest()), "the server received what was sent");
                    ledger.open(ledger.round() + 1);
                    gaps[commit.table()] = false;
                }
            } else {
                DataDecoder data = new DataDecoder().wrapAndApplyHeader(buffer, offset, header);
                ClockLedger ledger = received[data.table()];
                if (ledger.isNext(data.clock(), data.sequence())) {
                    ledger.enter(data.envelope().checksum());
                    gaps[data.table()] = false;
                } else {
                    gaps[data.table()] |= !ledger.isPast(data.clock(), data.sequence());
                }
            }
            return Action.CONTINUE;
        }

        /** Pushes a frame, or closes a round. */
        void push(int table, boolean closes) {
            int length;
            if (closes) {
                length = writer.roundCommit(frame.buffer(), table, sent[table]);
                sent[table].open(sent[table].round() + 1);
            } else {
                Block block = frame.room(new Block())
                        .set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, ELEMENTS * Float.BYTES);
                length = writer.data(frame, block, table, sent[table].frames(), sent[table]);
            }
            assertFalse(repair.isRepeating(), "repeated frames precede new ones");
            Deadline.await("the link takes a frame", () -> pacing.offer(frame.buffer(), 0, length));
            log.record(frame.buffer(), length);
        }

        void ask(int table) {
            ClockLedger ledger = received[table];
            if (repair.ask(table, ledger.round(), ledger.frames(), link.isConnected(), nowNs)) {
                framesBefore += link.frames();
                link.close();
                open();
                repair.reopened(nowNs);
                reopened++;
            }
        }

        /** Repeats requested frames, and receives all frames of any link. */
        void run() {
            Deadline.await(
                    "all frames are repeated", () -> !repair.isRepeating(), () -> repair.work(pacing, 16, nowNs));
            long all = framesBefore + link.frames();
            Deadline.await("all frames have arrived", () -> inbox.frames() == all, () -> inbox.poll(1_000));
        }

        boolean hasAll(int table) {
            return received[table].round() == sent[table].round() && received[table].frames() == sent[table].frames();
        }

        boolean hasAll() {
            return IntStream.range(0, TABLES).allMatch(this::hasAll);
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private static PushLog bsp(int bound) {
        return PushLog.untilTaken(new BulkSynchronous(), false, bound, LONGEST, TABLES, -1, ROUND);
    }

    @Tag("slow")
    @Test
    void lostFramesAreRepeatedOnceAndInOrder() {
        Property.holds(40, random -> {
            try (Rig rig = new Rig(bsp(1 << 20))) {
                rig.losing = random.split();
                for (int round = 0; round < 12; round++) {
                    rig.loss = random.nextInt(3) == 0 ? 0 : 0.2;
                    rig.poisoned = random.nextInt(4) == 0 ? rig.link.sessionId() : rig.poisoned;
                    for (int i = random.nextInt(20); i > 0; i--) {
                        rig.push(random.nextInt(TABLES), false);
                    }
                    for (int table = 0; table < TABLES; table++) {
                        rig.push(table, true);
                    }
                    rig.run();
                    for (int tries = 0; !rig.hasAll(); tries++) { // the server has detected silence or a gap
                        assertTrue(tries < 200, "the server still lacks something");
                        rig.nowNs += PushRepair.LONGEST_NS / 2;
                        for (int table = 0; table < TABLES; table++) {
                            if (rig.gaps[table] || !rig.hasAll(table)) {
                                rig.ask(table);
                            }
                        }
                        rig.run();
                    }
                }
                assertEquals("", rig.gone);
            }
        });
    }

    @Test
    void oneFrameIsRepeatedOnTheLinkThatThereIs() {
        try (Rig rig = new Rig(bsp(1 << 20))) {
            rig.push(0, false);
            rig.run();
            rig.loss = 1;
            rig.push(0, false);
            rig.run();
            rig.loss = 0;
            rig.push(0, true);
            rig.run();
            assertTrue(rig.gaps[0]);
            rig.ask(0);
            rig.ask(0); // asks again, as servers do until the frame arrives
            rig.run();
            rig.ask(0); // in flight when the frame arrived
            rig.run();
            assertTrue(rig.hasAll());
            assertEquals(0, rig.reopened);
            assertEquals(4, rig.came);
        }
    }

    @Test
    void aLinkThatLeadsNowhereIsGivenUpAndTheNextBeginsBySayingSo() {
        try (Rig rig = new Rig(bsp(1 << 20))) {
            rig.poisoned = rig.link.sessionId();
            rig.push(1, false);
            rig.push(1, true);
            rig.ask(1);
            rig.run();
            rig.nowNs += PushRepair.AGAIN_NS;
            rig.ask(1);
            assertEquals(0, rig.reopened, "the link is not replaced yet");
            rig.nowNs++;
            rig.ask(1);
            assertEquals(1, rig.reopened);
            rig.run();
            assertTrue(rig.hasAll());
            assertEquals(1, rig.announced);
        }
    }

    /** The link that the server reads now has carried none of the earlier pushes. */
    @Test
    void aServerThatRejoinsGetsTheDeclarationsAndAllBehindItsClock() {
        PushLog log = PushLog.untilTaken(new TotallyAsynchronous(), false, 1 << 20, LONGEST, TABLES, -1, ROUND);
        try (Rig rig = new Rig(log)) {
            for (int round = 0; round < 10; round++) {
                rig.push(0, false);
                for (int table = 0; table < TABLES; table++) {
                    rig.push(table, true);
                }
            }
            rig.run();
            assertTrue(rig.hasAll());
            int before = rig.came;
            Arrays.setAll(rig.received, _ -> new ClockLedger(7));
            rig.repair.rejoin(6);
            rig.ask(0); // the server gets this frame anyway
            rig.run();
            assertTrue(rig.hasAll());
            assertEquals(TABLES, rig.declared);
            assertEquals(0, rig.announced);
            assertEquals(TABLES + 3 * (1 + TABLES), rig.came - before);
            assertEquals(0, rig.resent.get(), "frames that were asked for");
        }
    }

    /** A worker that has pushed ten rounds of table 0, and a server that rejoins at clock 6. */
    private static Rig rejoinedAfterTenRounds() {
        Rig rig = new Rig(PushLog.untilTaken(new TotallyAsynchronous(), false, 1 << 20, LONGEST, TABLES, -1, ROUND));
        for (int round = 0; round < 10; round++) {
            rig.push(0, false);
            rig.push(0, true);
        }
        rig.run();
        Arrays.setAll(rig.received, table -> new ClockLedger(0 == table ? 7 : 0));
        rig.repair.rejoin(6);
        return rig;
    }

    @Test
    void framesLostDuringARepeatForARejoinedServerAreRepeatedOnTheSameLink() {
        try (Rig rig = rejoinedAfterTenRounds()) {
            rig.loss = 1;
            rig.run();
            rig.loss = 0;
            rig.ask(0);
            rig.run();
            assertTrue(rig.hasAll());
            assertEquals(0, rig.reopened);
        }
    }

    /** The server defers a repeated frame until it has one that was lost, so the rest of the repetition never fits. */
    @Test
    void aRepeatThatStallsBehindALostFrameIsRepeatedOnANewLink() {
        try (Rig rig = rejoinedAfterTenRounds()) {
            rig.loss = 1;
            assertEquals(TABLES + 2, rig.repair.work(rig.pacing, TABLES + 2, rig.nowNs));
            Deadline.await("they have arrived", () -> rig.inbox.frames() == rig.link.frames(), () -> rig.inbox.poll(9));
            rig.loss = 0;
            rig.ask(0);
            rig.nowNs += PushRepair.AGAIN_NS;
            rig.ask(0);
            assertEquals(0, rig.reopened, "the repetition may be slow");
            rig.nowNs++;
            rig.ask(0);
            assertEquals(1, rig.reopened);
            rig.run();
            assertTrue(rig.hasAll());
            assertEquals(1, rig.announced);
        }
    }

    @Test
    void whatHasNotBeenPushedIsNotMissing() {
        try (Rig rig = new Rig(bsp(1 << 20))) {
            rig.push(0, false);
            rig.run();
            for (int table = 0; table < TABLES; table++) {
                rig.ask(table);
                rig.nowNs += PushRepair.LONGEST_NS;
                rig.ask(table);
            }
            assertFalse(rig.repair.isRepeating());
            assertEquals(0, rig.reopened);
        }
    }

    @Test
    void underBspTwoRoundsAreKept() {
        try (Rig rig = new Rig(bsp(1 << 20))) {
            int capacity = rig.log.frames().capacity();
            for (int round = 0; round < 100; round++) {
                for (int table = 0; table < TABLES; table++) {
                    rig.push(table, false);
                    rig.push(table, true);
                }
                rig.run();
                long held = rig.log.frames().end() - rig.log.frames().first();
                assertTrue(held <= 4 * TABLES, held + " frames are held");
            }
            assertEquals(capacity, rig.log.frames().capacity());
            assertEquals(0, rig.log.frames().givenUp());
        }
    }

    @Test
    void withoutVersionsTheOldestFrameIsDroppedAndAServerThatNeedsItGetsAnError() {
        PushLog log = PushLog.untilTaken(new TotallyAsynchronous(), false, 1 << 12, LONGEST, TABLES, -1, ROUND);
        try (Rig rig = new Rig(log)) {
            rig.loss = 1;
            for (int round = 0; round < 100; round++) {
                rig.push(0, false);
                rig.push(0, true);
            }
            rig.run();
            rig.ask(0);
            assertEquals(1 << 12, log.frames().capacity());
            assertTrue(rig.gone.startsWith("misses frame 0 of clock 0 of table 0, and the 4096 bytes"), rig.gone);
        }
    }
}
