package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Property;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.messaging.outbox.SliceOrders;
import io.sluice.tree.Place;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order in which a server answers a worker that requested two tables, the second one first. */
class ReplyOrderTest {
    private static final AtomicInteger STREAMS = new AtomicInteger(77);
    private static final int SLICES = 9;
    private static final int SLICE = 64;
    private static final int LONGEST = 1_024;

    private static TestDriver driver;

    private final Kernels kernels = Kernels.preferred();
    private final List<String> received = new ArrayList<>();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private Transport transport;
    private Inbox inbox;
    private Link link;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    @BeforeEach
    void connect() {
        transport = driver.connect();
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
        int stream = STREAMS.getAndIncrement(); // logs of the last test may linger
        inbox = transport.openIpcInbox("test", stream, validator, this::onFrame);
        link = transport.openLink("test", transport.channels().ipc(), stream);
        link.awaitConnected(TimeUnit.SECONDS.toNanos(60), SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
    }

    @AfterEach
    void disconnect() {
        transport.close();
    }

    private Action onFrame(DirectBuffer buffer, int offset, int length, int template, int session) {
        if (RoundCommitDecoder.TEMPLATE_ID == template) {
            received.add(new RoundCommitDecoder()
                            .wrapAndApplyHeader(buffer, offset, header)
                            .table() + " round commit");
        } else {
            DataDecoder data = new DataDecoder().wrapAndApplyHeader(buffer, offset, header);
            received.add(data.table() + " " + data.slice());
        }
        return Action.CONTINUE;
    }

    /** Returns the answers to pulls, in order, after round 0, in which the only worker has pushed these changes. */
    private List<String> answers(String order, float[][] changes) {
        received.clear();
        int tables = changes.length;
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(1)
                .protocol(Protocol.PUSH_PULL)
                .compressor("none")
                .order(order)
                .build();
        List<Place> places = List.of(new Place(0, "here", "127.0.0.1:1"), new Place(1, "here", "127.0.0.1:2"));
        FrameWriter writer =
                new FrameWriter(new ClusterPlan(7, 0, settings, places), 0, null, FrameSeal.checksumOnly());
        Pacing pacing = new NodeBudget(Budget.NONE, Budget.NONE, SystemNanoClock.INSTANCE).pace(link, LONGEST, null);
        ReplyLines lines =
                new ReplyLines(new Link[] {link}, new Pacing[] {pacing}, tables * (SLICES + 1), tables, SLICE, LONGEST);
        SliceRanker ranker = new SliceRanker(SliceOrders.named(order), kernels, SLICE);
        ShardStats stats = new ShardStats(1, transport.counters().node("server 0"));
        ParameterReplies[] replies = new ParameterReplies[tables];
        for (int table = 0; table < tables; table++) {
            TableSpec spec = new TableSpec(table, "table " + table, 1, SLICES * SLICE, SLICE);
            int[] owned = IntStream.range(0, SLICES).toArray();
            SliceStore sums = new SliceStore(spec, owned);
            SliceStore parameters = new SliceStore(spec, owned);
            replies[table] = new ParameterReplies(spec, owned, sums, parameters, kernels, writer, lines, ranker, stats);
            for (int slice = 0; slice < SLICES; slice++) {
                sums.segment().set(ValueLayout.JAVA_FLOAT, sums.offset(slice), changes[table][slice]);
                replies[table].finalise(slice, 0);
            }
            replies[table].closeRound(0);
        }
        for (int table = tables - 1; table >= 0; table--) {
            replies[table].onPull(0, 0);
            replies[table].work();
        }
        for (int frame = 0; frame < tables * (SLICES + 1); frame++) {
            int before = frame;
            Deadline.await("another answer after " + received, () -> received.size() > before, () -> {
                lines.work();
                inbox.poll(1);
            });
        }
        assertEquals((long) tables * SLICES, stats.frames());
        return List.copyOf(received);
    }

    private static List<String> inTurn(int table) {
        List<String> frames = new ArrayList<>();
        IntStream.range(0, SLICES).forEach(slice -> frames.add(table + " " + slice));
        frames.add(table + " round commit");
        return frames;
    }

    private static List<String> both(int first, int second) {
        List<String> frames = inTurn(first);
        frames.addAll(inTurn(second));
        return frames;
    }

    @Test
    void withoutAnOrderTablesAreSentInTheOrderOfTheRequests() {
        assertEquals(both(1, 0), answers("fifo", new float[2][SLICES]));
    }

    @Test
    void byLayerTheFirstTableOvertakesTheOneAskedForBefore() {
        assertEquals(both(0, 1), answers("layer", new float[2][SLICES]));
    }

    /** Over all tables, with each round commit after the last of its slices. */
    @Test
    void byMagnitudeTheLargestChangeIsSentFirst() {
        Property.holds(20, random -> assertDescending(random, new float[2][SLICES]));
    }

    private void assertDescending(SplittableRandom random, float[][] changes) {
        List<String> expected = new ArrayList<>();
        for (int table = 0; table < changes.length; table++) {
            for (int slice = 0; slice < SLICES; slice++) {
                changes[table][slice] = (random.nextBoolean() ? 1 : -1) * random.nextFloat();
                expected.add(table + " " + slice);
            }
        }
        expected.sort(Comparator.comparing((String name) -> -Math.abs(change(changes, name))));
        List<String> slices = answers("magnitude", changes).stream()
                .filter(name -> !name.endsWith("round commit"))
                .toList();
        assertEquals(expected, slices);
        for (int table = 0; table < changes.length; table++) {
            String own = table + " ";
            List<String> behind = received.subList(received.indexOf(own + "round commit") + 1, received.size());
            assertTrue(
                    behind.stream().noneMatch(name -> name.startsWith(own)),
                    () -> "behind a round commit: " + received);
        }
    }

    private static float change(float[][] changes, String name) {
        String[] words = name.split(" ");
        return changes[Integer.parseInt(words[0])][Integer.parseInt(words[1])];
    }
}
