package io.sluice.consistency.worker;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Subscription;
import io.sluice.codecs.Drawn;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.Outsider;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Streams;
import io.sluice.messaging.Settings;
import io.sluice.messaging.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Seals change no result on any route, and forged frames have no effect. */
@Timeout(240)
class SealedRunTest {
    private static final ClusterSecret SECRET = ClusterSecret.of("what these nodes know".getBytes(US_ASCII));
    private static final int CLOCKS = 8;
    private static final int SLICE = 16;
    private static final int FORGED = 3;
    private static final List<Shape> SHAPES = List.of(new Shape("bias", 1, 1), new Shape("w", 13, 31));

    private static TestDriver driver;

    private final CountDownLatch half = new CountDownLatch(3);
    private final CountDownLatch resume = new CountDownLatch(1);

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static TestCluster cluster(ClusterSettings settings) {
        return TestCluster.of(driver, settings)
                .adjust(context -> context.secret(SECRET))
                .serve();
    }

    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @CsvSource({
        "ipc, update,    flat,      fifo,      none, auto",
        "udp, update,    flat,      layer,     none, auto",
        "udp, update,    rotated:2, magnitude, none, none",
        "udp, update,    chain,     fifo,      none, lz4",
        "ipc, push-pull, flat,      random:7,  none, none",
        "udp, push-pull, flat,      fifo,      none, none",
        "ipc, update,    flat,      layer,     10mbit, none",
    })
    void replicasAreTheReference(
            String medium, String protocol, String tree, String order, String rate, String compressor) {
        resume.countDown();
        ClusterSettings settings = TestCluster.terms()
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .protocol(Settings.constant("protocol", protocol, Protocol.class))
                .tree(tree)
                .order(order)
                .compressor(compressor)
                .linkBudget(rate, 2_000)
                .seal(true)
                .build();
        Updates updates = new Updates(7, SHAPES);
        try (TestCluster cluster = cluster(settings)) {
            cluster.train(worker -> {
                assertEquals(settings, worker.settings(), "what the welcome said");
                train(worker, updates);
                assertEquals(0, worker.framesRejected());
            });
            cluster.awaitSuccess();
            assertEquals(List.of(), cluster.errors());
        }
    }

    /** The frames that end an unsealed cluster in ForgeryTest. */
    @ParameterizedTest
    @CsvSource({"ipc, flat", "udp, flat", "udp, chain"})
    void forgedAndRepeatedFramesHaveNoEffect(String medium, String tree) throws Exception {
        boolean ipc = "ipc".equals(medium);
        ClusterSettings settings = TestCluster.terms()
                .transport(ipc ? TransportKind.IPC : TransportKind.UDP)
                .compressor("none")
                .tree(tree)
                .seal(true)
                .build();
        Updates updates = new Updates(9, SHAPES);
        try (TestCluster cluster = cluster(settings)) {
            cluster.train(worker -> train(worker, updates));
            assertTrue(half.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            try (Outsider outsider = new Outsider(driver, cluster.plan(), ipc)) {
                FrameBuffer frame = FrameBuffer.forDataFrames(64);
                for (int origin = 0; origin < 5; origin++) {
                    ClockLedger ledger = new ClockLedger(CLOCKS / 2 + 1);
                    FrameWriter writer = new FrameWriter(cluster.plan(), origin, null, FrameSeal.checksumOnly());
                    int length = writer.roundCommit(frame.buffer(), 0, ledger);
                    outsider.toNode(0, frame.buffer(), length);
                    if ("flat".equals(tree)) {
                        outsider.toBroadcast(0, frame.buffer(), length);
                    }
                }
                Deadline.await(
                        "the rejection is reported", () -> !cluster.errors().isEmpty());
            }
            resume.countDown();
            cluster.awaitSuccess();
            cluster.errors().forEach(error -> assertTrue(error.getMessage().contains("not sealed"), error::getMessage));
        }
    }

    /** A relay keeps an order: a forged frame must not displace a frame that is due. */
    @Test
    void forgedFramesDisplaceNoFrameAtRelays() throws Exception {
        ClusterSettings settings = TestCluster.terms()
                .transport(TransportKind.UDP)
                .compressor("none")
                .tree("chain")
                .seal(true)
                .build();
        Updates updates = new Updates(15, SHAPES);
        try (TestCluster cluster = cluster(settings)) {
            cluster.train(worker -> train(worker, updates));
            assertTrue(half.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            ClusterPlan plan = cluster.plan();
            KeySchedule foreign = new KeySchedule(ClusterSecret.of("what an outsider knows".getBytes(US_ASCII)));
            FrameBuffer frame = FrameBuffer.forDataFrames(SLICE);
            Block block = frame.room(new Block()).set(BlockFormat.DENSE, ValueType.F32, SLICE, SLICE, SLICE * 4);
            try (Outsider outsider = new Outsider(driver, plan, false)) {
                for (int server = 0; server < settings.servers(); server++) {
                    SenderSeals seals = new SenderSeals(foreign.sender(plan.clusterId(), 0, server, 1));
                    FrameWriter writer = new FrameWriter(plan, server, null, seals.newSeal());
                    for (int table = 0; table < SHAPES.size(); table++) {
                        ClockLedger due = new ClockLedger(CLOCKS / 2);
                        for (int sequence = 0; sequence < FORGED; sequence++) {
                            outsider.toRelays(frame.buffer(), writer.data(frame, block, table, 0, due));
                        }
                    }
                }
                Deadline.await(
                        "the rejection is reported", () -> !cluster.errors().isEmpty());
            }
            resume.countDown();
            cluster.awaitSuccess();
            String expected = "the seal does not match the sender";
            cluster.errors().forEach(error -> assertTrue(error.getMessage().contains(expected), error::getMessage));
            long resent = cluster.reports().stream()
                    .mapToLong(ServerReport::framesResent)
                    .sum();
            assertEquals(0, resent, "frames that had to be sent again");
        }
    }

    @Test
    void eavesdroppersReadNoValuesAndReplayedFramesAreDropped() throws Exception {
        ClusterSettings settings = TestCluster.terms()
                .transport(TransportKind.IPC)
                .compressor("none")
                .seal(true)
                .build();
        Updates updates = new Updates(11, SHAPES);
        List<UnsafeBuffer> heard = new ArrayList<>();
        try (TestCluster cluster = cluster(settings);
                Transport transport = driver.connect()) {
            cluster.train(worker -> train(worker, updates));
            assertTrue(half.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            int stream = new Streams(cluster.plan().clusterId()).to(0, 0);
            Subscription listener =
                    transport.aeron().addSubscription(transport.channels().ipc(), stream);
            Deadline.await("the listener is connected", () -> listener.imageCount() >= 3);
            resume.countDown();
            Deadline.await("frames are overheard", () -> {
                listener.poll(
                        (buffer, offset, length, header) -> {
                            byte[] bytes = new byte[length];
                            buffer.getBytes(offset, bytes);
                            heard.add(new UnsafeBuffer(bytes));
                        },
                        64);
                return heard.stream().anyMatch(SealedRunTest::isData);
            });
            try (Outsider outsider = new Outsider(driver, cluster.plan(), true)) {
                heard.forEach(frame -> outsider.toNode(0, frame, frame.capacity()));
            }
            while (listener.poll((buffer, offset, length, header) -> {}, 64) >= 0 && isRunning(cluster)) {
                Thread.yield(); // a stalled eavesdropper would delay the others
            }
            listener.close();
            cluster.awaitSuccess();
        }
        for (UnsafeBuffer frame : heard) {
            if (isData(frame)) {
                assertNoTwoWordsAgree(frame);
            }
        }
    }

    @Test
    void aFrameForOneServerHasNoEffectAtAnother() throws Exception {
        ClusterSettings settings = TestCluster.terms()
                .transport(TransportKind.IPC)
                .compressor("none")
                .seal(true)
                .build();
        Updates updates = new Updates(13, SHAPES);
        try (TestCluster cluster = cluster(settings);
                Transport transport = driver.connect()) {
            CountDownLatch refused = new CountDownLatch(1);
            cluster.train(worker -> {
                train(worker, updates);
                assertTrue(refused.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            });
            assertTrue(half.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            int stream = new Streams(cluster.plan().clusterId()).to(0, 0);
            try (Subscription listener = transport
                            .aeron()
                            .addSubscription(transport.channels().ipc(), stream);
                    Outsider outsider = new Outsider(driver, cluster.plan(), true)) {
                Deadline.await("the listener is connected", () -> listener.imageCount() >= 3);
                resume.countDown();
                AtomicInteger said = new AtomicInteger();
                Deadline.await("what was said to one server is refused by the other", () -> {
                    listener.poll(
                            (buffer, offset, length, header) -> {
                                if (said.incrementAndGet() <= 10) {
                                    FrameBuffer copy = new FrameBuffer(length);
                                    copy.buffer().putBytes(0, buffer, offset, length);
                                    outsider.toNode(1, copy.buffer(), length);
                                }
                            },
                            64);
                    return !cluster.errors().isEmpty();
                });
            }
            refused.countDown();
            cluster.awaitSuccess();
            assertEquals(1, cluster.errors().size(), () -> "told of: " + cluster.errors());
            String told = cluster.errors().getFirst().getMessage();
            assertTrue(told.contains("is for another node"), told);
        }
    }

    private static boolean isRunning(TestCluster cluster) {
        return cluster.thread("worker 0").isAlive()
                || cluster.thread("worker 1").isAlive();
    }

    private static boolean isData(UnsafeBuffer frame) {
        return Frame.templateId(frame, 0) == DataDecoder.TEMPLATE_ID;
    }

    /** Updates are made of few values; their ciphertext is not. */
    private static void assertNoTwoWordsAgree(UnsafeBuffer frame) {
        List<Long> words = new ArrayList<>();
        for (int at = Frame.DATA_LENGTH; at + Long.BYTES <= frame.capacity(); at += Long.BYTES) {
            long word = frame.getLong(at);
            assertFalse(words.contains(word), "a word of the payload occurs twice");
            words.add(word);
        }
    }

    private void train(Worker worker, Updates updates) throws InterruptedException {
        List<Table> tables = updates.declare(worker);
        worker.start(updates::initial);
        Reference reference = new Reference(updates, worker.workers());
        for (long round = 1; round <= CLOCKS; round++) {
            if (round == CLOCKS / 2) {
                half.countDown();
                assertTrue(resume.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            }
            for (Table table : tables) {
                table.sync();
                reference.requireSame(table, round - 1);
            }
            for (Table table : tables.reversed()) {
                table.update(updates.of(table.spec(), worker.index(), round));
            }
            worker.clock();
            reference.apply(round);
        }
        worker.drain();
        for (Table table : tables) {
            reference.requireSame(table, CLOCKS);
        }
    }
}
