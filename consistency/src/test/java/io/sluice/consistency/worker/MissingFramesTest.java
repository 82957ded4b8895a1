package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.consistency.Deadline;
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
import io.sluice.tree.Ways;
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

/** A receiver asks when there is a reason to, again as long as there is, and else not. */
@Timeout(60)
class MissingFramesTest {
    private static final int TABLES = 3;
    private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** The receiver of one tree, which carries two of three tables. */
    private static final class Rig implements MissingFrames.Due, AutoCloseable {
        final Transport transport = driver.connect();
        final List<String> requests = new ArrayList<>();
        final long[] clocks = new long[TABLES];
        final int[] sequences = new int[TABLES];
        final ResendDecoder resend = new ResendDecoder();
        final Inbox inbox;
        final MissingFrames missing;
        long versionBroadcast = -1;
        long nowNs;

        Rig() {
            int stream = 8_000 + (int) (System.nanoTime() % 1_000);
            FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
            inbox = transport.openIpcInbox("test", stream, validator, this::onRequest);
            Link link = transport.openLink("test", transport.channels().ipc(), stream);
            Deadline.await("the link is connected", link::isConnected);
            ClusterSettings settings = TestCluster.terms().servers(1).build();
            List<Place> nodes = IntStream.range(0, 1 + settings.workers())
                    .mapToObj(node -> new Place(node, "h", "h:" + node))
                    .toList();
            FrameWriter writer =
                    new FrameWriter(new ClusterPlan(5, 0, settings, nodes), 1, null, FrameSeal.checksumOnly());
            missing = new MissingFrames(
                    this,
                    server -> link,
                    writer,
                    Ways.single(1),
                    TABLES,
                    false,
                    () -> nowNs,
                    SILENCE_NS,
                    transport.counters().node("worker 0").tally(CounterType.NODE_RESENDS_ASKED, "trainer"));
        }

        private Action onRequest(DirectBuffer buffer, int offset, int length, int templateId, int session) {
            resend.wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder());
            requests.add(resend.table() + ": " + resend.clock() + "/" + resend.sequence());
            return Action.CONTINUE;
        }

        /** Works for so long; returns what was asked for meanwhile. */
        List<String> passed(long ns) {
            requests.clear();
            int sent = 0;
            for (long end = nowNs + ns; nowNs < end; nowNs += STEP_NS) {
                sent += missing.work(nowNs);
            }
            int expected = sent;
            Deadline.await("all requests have come", () -> {
                inbox.poll(10);
                return requests.size() >= expected;
            });
            assertEquals(sent, requests.size());
            return List.copyOf(requests);
        }

        @Override
        public boolean expects(int tree, int table) {
            return 1 != table;
        }

        @Override
        public long clock(int tree, int table) {
            return clocks[table];
        }

        @Override
        public int sequence(int tree, int table) {
            return sequences[table];
        }

        @Override
        public long versionBroadcast() {
            return versionBroadcast;
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    @Test
    void nothingIsAskedForWhileNobodyHasBroadcastIt() {
        try (Rig rig = new Rig()) {
            assertEquals(List.of(), rig.passed(MINUTE_NS));
            Arrays.fill(rig.clocks, 7);
            rig.clocks[1] = 0; // of the table that does not come
            rig.versionBroadcast = 6;
            assertEquals(List.of(), rig.passed(MINUTE_NS));
        }
    }

    @Test
    void whatIsLostWithNothingBehindItIsAskedForInEachTimeOfSilenceUntilItComes() {
        try (Rig rig = new Rig()) {
            rig.passed(MINUTE_NS);
            rig.versionBroadcast = 0;
            rig.clocks[2] = 1;
            rig.sequences[0] = 4;
            List<String> first = List.of("0: 0/4", "2: 1/0");
            assertEquals(first, rig.passed(SILENCE_NS));
            assertEquals(first, rig.passed(SILENCE_NS));
            rig.missing.arrived(0);
            assertEquals(List.of(), rig.passed(SILENCE_NS), "it is on its way");
            assertEquals(first, rig.passed(SILENCE_NS), "and has stopped");
            rig.clocks[0] = 1;
            assertEquals(List.of(), rig.passed(MINUTE_NS));
        }
    }

    @Test
    void aGapIsAskedForAtOnceAndAgainUntilItIsFilled() {
        try (Rig rig = new Rig()) {
            rig.passed(SILENCE_NS);
            rig.missing.ahead(0);
            assertEquals(List.of(), rig.passed(2 * STEP_NS), "those between may come yet");
            assertEquals(2 * 5, rig.passed(TimeUnit.SECONDS.toNanos(1)).size());
            rig.missing.arrived(0);
            assertEquals(List.of(), rig.passed(MINUTE_NS));
        }
    }

    @Test
    void whoHasAnotherSenderAsksForAWhile() {
        try (Rig rig = new Rig()) {
            rig.passed(SILENCE_NS);
            rig.missing.changed(0);
            assertEquals(2 * 8, rig.passed(MINUTE_NS).size());
        }
    }
}
