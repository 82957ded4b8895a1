package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.counters.CounterType;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server asks for what is due when something came before it, or when a worker that is awaited says nothing. */
@Timeout(60)
class MissingPushesTest {
    private static final int WORKERS = 3;
    private static final int TABLES = 4;
    private static final int SILENCE_MS = 1_000;
    private static final int AGAIN_MS = 200;

    private static TestDriver driver;
    private static int streams = 8_000;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** What is asked of a worker. */
    private record Request(int worker, int table, long round, int sequence) {}

    /** Time stands unless it is told to pass. */
    private static final class Rig implements MissingPushes.Due, AutoCloseable {
        final Transport transport = driver.connect();
        final Map<Integer, Inbox> inboxes = new HashMap<>();
        final List<Request> asked = new ArrayList<>();
        final boolean[] shared = new boolean[WORKERS];
        final boolean[] away = new boolean[WORKERS];
        final boolean[][] awaited = new boolean[WORKERS][TABLES];
        final int first = streams;
        final MissingPushes missing;
        int opened;
        long nowNs = 1_000_000_000_000L;

        Rig() {
            streams += WORKERS;
            for (int worker = 0; worker < WORKERS; worker++) {
                int of = worker;
                FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
                inboxes.put(
                        of,
                        transport.openIpcInbox(
                                "test",
                                first + of,
                                validator,
                                (buffer, offset, length, template, session) -> take(of, buffer, offset)));
            }
            ClusterSettings settings = TestCluster.terms().build();
            List<Place> nodes = IntStream.range(0, settings.servers() + settings.workers())
                    .mapToObj(node -> new Place(node, "h", "h:" + node))
                    .toList();
            FrameWriter writer =
                    new FrameWriter(new ClusterPlan(5, 0, settings, nodes), 0, null, FrameSeal.checksumOnly());
            missing = new MissingPushes(
                    this,
                    this::open,
                    writer,
                    WORKERS,
                    TABLES,
                    TimeUnit.MILLISECONDS.toNanos(SILENCE_MS),
                    nowNs,
                    transport.counters().node("server 0").tally(CounterType.NODE_PUSHES_ASKED));
        }

        private Link open(int worker) {
            opened++;
            Link link = transport.openLink("test", transport.channels().ipc(), first + worker);
            Deadline.await("the link has room", () -> link.isConnected() && link.room() > 0);
            return link;
        }

        private Action take(int worker, DirectBuffer buffer, int offset) {
            ResendDecoder resend = new ResendDecoder().wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder());
            assertEquals(FrameWriter.PUSHES, resend.relay());
            asked.add(new Request(worker, resend.table(), resend.clock(), resend.sequence()));
            return Action.CONTINUE;
        }

        /** Lets time pass, and returns what was asked for meanwhile. */
        List<Request> pass(int ms) {
            asked.clear();
            int sent = 0;
            for (int i = 0; i < ms; i++) {
                nowNs += TimeUnit.MILLISECONDS.toNanos(1) + 1;
                sent += missing.work(nowNs);
            }
            int expected = sent;
            Deadline.await(
                    "all requests come",
                    () -> asked.size() == expected,
                    () -> inboxes.values().forEach(inbox -> inbox.poll(64)));
            return List.copyOf(asked);
        }

        @Override
        public boolean mayBeLost(int worker) {
            return !shared[worker];
        }

        @Override
        public boolean isThere(int worker) {
            return !away[worker];
        }

        @Override
        public boolean isAwaited(int worker, int table) {
            return awaited[worker][table];
        }

        @Override
        public long round(int worker, int table) {
            return 100 * worker + table;
        }

        @Override
        public int sequence(int worker, int table) {
            return 7 * table;
        }

        Request due(int worker, int table) {
            return new Request(worker, table, round(worker, table), sequence(worker, table));
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    @Test
    void aGapIsAskedForAtOnceAndAgainUntilWhatIsDueComes() {
        try (Rig rig = new Rig()) {
            rig.missing.ahead(1, 2);
            assertEquals(List.of(rig.due(1, 2)), rig.pass(2));
            assertEquals(List.of(rig.due(1, 2), rig.due(1, 2)), rig.pass(2 * AGAIN_MS));
            rig.missing.arrived(1, 3); // of another table
            assertEquals(List.of(rig.due(1, 2)), rig.pass(AGAIN_MS));
            rig.missing.arrived(1, 2);
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1));
        }
    }

    @Test
    void whileTheFrameThatIsDueWaitsForOthersAGapIsAskedForLessOften() {
        try (Rig rig = new Rig()) {
            rig.missing.ahead(0, 1);
            assertEquals(1, rig.pass(1).size());
            int asked = 0;
            for (int i = 0; i < SILENCE_MS; i++) {
                rig.missing.putOff(0);
                asked += rig.pass(1).size();
            }
            assertTrue(asked <= 1, asked + " times");
        }
    }

    @Test
    void whoIsSilentIsAskedForWhatRoundsWaitFor() {
        try (Rig rig = new Rig()) {
            rig.awaited[2][0] = true;
            rig.awaited[2][3] = true;
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1));
            assertEquals(List.of(rig.due(2, 0), rig.due(2, 3)), rig.pass(2));
            assertEquals(List.of(), rig.pass(SILENCE_MS - 2));
            rig.missing.arrived(2, 0);
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1));
            assertEquals(List.of(rig.due(2, 0), rig.due(2, 3)), rig.pass(2));
        }
    }

    @Test
    void nobodyIsAskedWhoSharesMemoryOrIsAwayOrIsNotAwaited() {
        try (Rig rig = new Rig()) {
            rig.awaited[0][0] = true;
            rig.awaited[1][0] = true;
            rig.shared[0] = true;
            rig.away[1] = true;
            rig.missing.ahead(1, 0);
            assertEquals(List.of(), rig.pass(3 * SILENCE_MS));
            assertEquals(0, rig.opened);
            rig.away[1] = false;
            rig.missing.forget(1);
            assertEquals(List.of(), rig.pass(SILENCE_MS - 1));
        }
    }

    @Test
    void aLinkByWhichNothingIsAnsweredIsOpenedAnew() {
        try (Rig rig = new Rig()) {
            rig.missing.ahead(1, 2);
            rig.pass(10 * AGAIN_MS);
            assertEquals(2, rig.opened);
        }
    }

    /** Whatever comes in whatever order: each gap that is left is asked for within the time, and no other. */
    @Test
    void whatIsAskedForIsWhatIsMissing() {
        Property.holds(20, random -> {
            try (Rig rig = new Rig()) {
                boolean[][] gaps = new boolean[WORKERS][TABLES];
                for (int step = 0; step < 60; step++) {
                    for (int i = random.nextInt(6); i > 0; i--) {
                        int worker = random.nextInt(WORKERS);
                        int table = random.nextInt(TABLES);
                        gaps[worker][table] = random.nextBoolean();
                        if (gaps[worker][table]) {
                            rig.missing.ahead(worker, table);
                        } else {
                            rig.missing.arrived(worker, table);
                        }
                    }
                    List<Request> asked = rig.pass(AGAIN_MS + 1);
                    for (int worker = 0; worker < WORKERS; worker++) {
                        for (int table = 0; table < TABLES; table++) {
                            assertEquals(gaps[worker][table], asked.contains(rig.due(worker, table)));
                        }
                    }
                }
            }
        });
    }
}
