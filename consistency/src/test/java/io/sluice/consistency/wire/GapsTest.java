package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestDriver;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.CounterType;
import io.sluice.tree.RouteTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A receiver requests missing frames, repeats the request while they are missing, and requests no others. */
@Timeout(240)
class GapsTest {
    private static final int PEERS = 3;
    private static final int TABLES = 4;
    private static final int SILENCE_MS = 3_000;
    private static final int SILENCE_AFTER_CHANGE_MS = 1_000;
    private static final int AGAIN_MS = 200;
    private static final int PATIENCE_MS = 20;
    private static final int MINUTE_MS = 60_000;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** A request to a peer. */
    private record Request(int peer, int table, long clock, int sequence) {}

    /**
     * A receiver of pushes of three workers, or of broadcasts of three servers. Time passes only when the test lets it.
     */
    private static final class Rig implements Gaps.Due, AutoCloseable {
        final RepairBench bench = new RepairBench(driver, PEERS);
        final List<Inbox> inboxes = new ArrayList<>();
        final List<Request> asked = new ArrayList<>();
        final boolean[] shared = new boolean[PEERS];
        final boolean[] away = new boolean[PEERS];
        final boolean[][] unexpected = new boolean[PEERS][TABLES];
        final boolean[][] awaited = new boolean[PEERS][TABLES];
        final int first;
        final short concerned;
        final Gaps gaps;
        final boolean[] unread = new boolean[PEERS];
        int opened;
        Link late;
        long nowNs = 1_000_000_000_000L;

        Rig(boolean pushes) {
            first = bench.newStreams(2 * PEERS);
            for (int peer = 0; peer < PEERS; peer++) {
                read(peer, first + peer);
            }
            Gaps.Requests requests = new Gaps.Requests(
                    bench.writer(0),
                    this::open,
                    bench.transport.counters().node("server 0").counter(CounterType.NODE_PUSHES_ASKED));
            long silenceNs = TimeUnit.MILLISECONDS.toNanos(SILENCE_MS);
            concerned = pushes ? FrameWriter.PUSHES : FrameWriter.TO_RELAY;
            gaps = pushes
                    ? Gaps.inPushes(this, requests, PEERS, 1, TABLES, silenceNs, nowNs)
                    : Gaps.inBroadcasts(this, requests, RouteTable.single(PEERS), TABLES, true, silenceNs, nowNs);
        }

        private void read(int peer, int stream) {
            inboxes.add(bench.inbox(stream, (buffer, offset, length, template, session) -> take(peer, buffer, offset)));
        }

        private Link open(int peer) {
            opened++;
            if (unread[peer]) {
                late = bench.link(first + PEERS + peer);
                return late;
            }
            return bench.connectedLink(first + peer);
        }

        /** Lets the link to a peer that has read nothing connect. */
        void readAtLast(int peer) {
            read(peer, first + PEERS + peer);
            Deadline.await("the link has room", () -> late.isConnected() && late.room() > 0);
        }

        private Action take(int peer, DirectBuffer buffer, int offset) {
            ResendDecoder resend = new ResendDecoder().wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder());
            assertEquals(concerned, resend.relay());
            asked.add(new Request(peer, resend.table(), resend.clock(), resend.sequence()));
            return Action.CONTINUE;
        }

        /** Lets time pass and returns the requests sent in the meantime. */
        List<Request> pass(int ms) {
            asked.clear();
            int sent = 0;
            for (int i = 0; i < ms; i++) {
                nowNs += TimeUnit.MILLISECONDS.toNanos(1) + 1;
                sent += gaps.work(nowNs);
                if (0 == sent % 64) {
                    inboxes.forEach(inbox -> inbox.poll(64));
                }
            }
            int expected = sent;
            Deadline.await(
                    "all requests arrive",
                    () -> asked.size() == expected,
                    () -> inboxes.forEach(inbox -> inbox.poll(64)));
            return List.copyOf(asked);
        }

        @Override
        public boolean mayBeLost(int peer) {
            return !shared[peer];
        }

        @Override
        public boolean isThere(int peer) {
            return !away[peer];
        }

        @Override
        public boolean expects(int peer, int table) {
            return FrameWriter.PUSHES == concerned ? awaited[peer][table] : !unexpected[peer][table];
        }

        @Override
        public boolean isAwaited(int peer, int table) {
            return awaited[peer][table];
        }

        @Override
        public long clock(int peer, int table) {
            return 100 * peer + table;
        }

        @Override
        public int sequence(int peer, int table) {
            return 7 * table;
        }

        Request of(int peer, int table) {
            return new Request(peer, table, clock(peer, table), sequence(peer, table));
        }

        /** The request to a peer at a time, if the receiver does not know what is missing. */
        List<Request> due(int peer) {
            return IntStream.range(0, TABLES)
                    .filter(table -> expects(peer, table))
                    .mapToObj(table -> of(peer, table))
                    .toList();
        }

        List<Request> due(int peer, int times) {
            List<Request> all = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                all.addAll(due(peer));
            }
            return all;
        }

        @Override
        public void close() {
            bench.close();
        }
    }

    @Test
    void aGapInPushesIsRequestedAtOnceAndAgainUntilTheDueFrameArrives() {
        try (Rig rig = new Rig(true)) {
            rig.gaps.ahead(1, 2);
            List<Request> asked = List.of(rig.of(1, 2));
            assertEquals(asked, rig.pass(2));
            assertEquals(List.of(rig.of(1, 2), rig.of(1, 2)), rig.pass(2 * AGAIN_MS));
            rig.gaps.arrived(1, 3); // of another table
            assertEquals(asked, rig.pass(AGAIN_MS));
            rig.gaps.arrived(1, 2);
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1));
        }
    }

    @Test
    void aGapInBroadcastsIsRequestedIfTheMissingFramesDoNotFollow() {
        try (Rig rig = new Rig(false)) {
            rig.unexpected[1][3] = true;
            assertEquals(Action.ABORT, rig.gaps.ahead(1));
            assertEquals(List.of(), rig.pass(PATIENCE_MS));
            rig.gaps.arrived(1);
            rig.gaps.ahead(1);
            assertEquals(List.of(), rig.pass(PATIENCE_MS), "the missing frames may still arrive");
            assertEquals(rig.due(1, 5), rig.pass(5 * AGAIN_MS));
            rig.gaps.arrived(1);
            assertEquals(List.of(), rig.pass(MINUTE_MS));
        }
    }

    @Test
    void aGapIsRequestedLessOftenWhileTheDueFrameIsDeferred() {
        try (Rig rig = new Rig(true)) {
            rig.gaps.ahead(0, 1);
            assertEquals(1, rig.pass(1).size());
            int asked = 0;
            for (int i = 0; i < SILENCE_MS; i++) {
                rig.gaps.defer(0);
                asked += rig.pass(1).size();
            }
            assertTrue(asked <= 1, asked + " requests");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSilentPeerIsAskedForTheDueFrameOncePerIntervalUntilItArrives(boolean pushes) {
        try (Rig rig = new Rig(pushes)) {
            rig.awaited[2][0] = true;
            rig.awaited[2][3] = true;
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1));
            assertEquals(rig.due(2), rig.pass(2));
            assertEquals(List.of(), rig.pass(SILENCE_MS - 2));
            assertEquals(rig.due(2), rig.pass(2));
            rig.gaps.arrived(2);
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1), "the frame may be in flight");
            assertEquals(rig.due(2), rig.pass(2), "the frame must be lost");
            Arrays.fill(rig.awaited[2], false);
            assertEquals(List.of(), rig.pass(MINUTE_MS));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void framesThatCannotHaveArrivedAreNotRequested(boolean pushes) {
        try (Rig rig = new Rig(pushes)) {
            assertEquals(List.of(), rig.pass(MINUTE_MS));
            rig.pass(MINUTE_MS);
            rig.gaps.listen(rig.nowNs);
            rig.awaited[1][0] = true;
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1), "no link was polled until now");
        }
    }

    @Test
    void peersThatShareMemoryOrAreAbsentOrAreNotAwaitedAreNotAsked() {
        try (Rig rig = new Rig(true)) {
            rig.awaited[0][0] = true;
            rig.awaited[1][0] = true;
            rig.shared[0] = true;
            rig.away[1] = true;
            rig.gaps.ahead(1, 0);
            assertFalse(rig.gaps.canAsk(0));
            assertEquals(List.of(), rig.pass(3 * SILENCE_MS));
            assertEquals(0, rig.opened);
            assertFalse(rig.gaps.hasAsked(1));
            rig.away[1] = false;
            rig.gaps.forget(1);
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1));
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void aRequestThatItsLinkDidNotTakeIsSentLaterUnlessTheFrameArrives(boolean pushes, boolean arrives) {
        try (Rig rig = new Rig(pushes)) {
            rig.awaited[2][0] = true;
            rig.unread[2] = true;
            assertEquals(List.of(), rig.pass(SILENCE_MS + 1));
            assertEquals(1, rig.opened);
            if (arrives) {
                rig.gaps.arrived(2);
            }
            rig.readAtLast(2);
            assertEquals(arrives ? List.of() : rig.due(2), rig.pass(SILENCE_MS - 2));
        }
    }

    @Test
    void aReceiverWithANewParentAsksForAWhile() {
        try (Rig rig = new Rig(false)) {
            rig.gaps.changed(0);
            assertEquals(rig.due(0), rig.pass(1));
            assertEquals(rig.due(0, 7), rig.pass(MINUTE_MS));
        }
    }

    /** The root may follow the change, and lose a frame at the former parent, when these requests have ended. */
    @ParameterizedTest
    @ValueSource(ints = {0, MINUTE_MS})
    void aReceiverWithANewParentAwaitsFramesForAShorterTime(int computesMs) {
        try (Rig rig = new Rig(false)) {
            rig.pass(1);
            rig.nowNs += TimeUnit.MILLISECONDS.toNanos(computesMs);
            rig.gaps.listen(rig.nowNs);
            rig.gaps.changed(0);
            rig.pass(8 * AGAIN_MS);
            rig.awaited[0][1] = true;
            rig.gaps.arrived(0);
            assertEquals(List.of(), rig.pass(SILENCE_AFTER_CHANGE_MS));
            assertEquals(rig.due(0), rig.pass(2));
            rig.pass(2 * SILENCE_MS);
            rig.gaps.arrived(0);
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1));
        }
    }

    @Test
    void aPeerThatRejoinedIsAskedAtOnceOverAnotherLink() {
        try (Rig rig = new Rig(false)) {
            rig.gaps.ahead(1);
            rig.pass(PATIENCE_MS + 2);
            assertTrue(rig.gaps.hasAsked(1));
            assertEquals(1, rig.opened);
            rig.gaps.reopened(1);
            assertFalse(rig.gaps.hasAsked(1));
            assertEquals(rig.due(1), rig.pass(1));
            assertEquals(2, rig.opened);
            rig.gaps.askIfBack(0);
            assertEquals(List.of(), rig.pass(1));
            rig.gaps.askIfBack(1);
            assertEquals(PEERS * TABLES, rig.pass(1).size());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLinkWithoutAnswersIsReopened(boolean pushes) {
        try (Rig rig = new Rig(pushes)) {
            rig.gaps.ahead(1, pushes ? 2 : 0);
            rig.pass(10 * AGAIN_MS);
            assertEquals(2, rig.opened);
        }
    }

    /** Exactly the gaps that remain are requested in time, whatever the order of arrival. */
    @Test
    void requestsAreForMissingFrames() {
        Property.holds(20, random -> {
            try (Rig rig = new Rig(true)) {
                boolean[][] missing = new boolean[PEERS][TABLES];
                for (int step = 0; step < 60; step++) {
                    for (int i = random.nextInt(6); i > 0; i--) {
                        int worker = random.nextInt(PEERS);
                        int table = random.nextInt(TABLES);
                        missing[worker][table] = random.nextBoolean();
                        if (missing[worker][table]) {
                            rig.gaps.ahead(worker, table);
                        } else {
                            rig.gaps.arrived(worker, table);
                        }
                    }
                    List<Request> asked = rig.pass(AGAIN_MS + 1);
                    for (int worker = 0; worker < PEERS; worker++) {
                        for (int table = 0; table < TABLES; table++) {
                            assertEquals(missing[worker][table], asked.contains(rig.of(worker, table)));
                        }
                    }
                }
            }
        });
    }
}
