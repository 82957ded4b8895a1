package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.Outsider;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.wire.FrameWriter;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A frame that claims to be from a member and contradicts its ledger ends the cluster, with a sentence that names the
 * member. Frames that no member can have sent are counted and have no effect.
 */
@Timeout(240)
class ForgeryTest {
    private static final int ROUNDS_BEFORE = 3;
    private static final int ROUNDS = 6;
    private static final int NEXT_ROUND = ROUNDS_BEFORE + 1;
    private static final int SLICE = 64;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 10, 20));
    private static final long WITHIN_MS = 10_000;

    private static TestDriver driver;

    private final CountDownLatch paused = new CountDownLatch(3);
    private final CountDownLatch resumed = new CountDownLatch(1);

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettings terms(String medium) {
        return TestCluster.terms()
                .sliceElements(SLICE)
                .livenessMs(15_000)
                .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                .build();
    }

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "ipc, push data",
        "ipc, push round commit",
        "ipc, broadcast data",
        "udp, broadcast data",
        "ipc, broadcast round commit",
        "udp, broadcast round commit",
        "ipc, push part",
        "udp, push part",
        "ipc, broadcast part",
        "udp, broadcast part",
        "ipc, push part too late",
        "ipc, push part of the next clock",
        "udp, push twice",
        "ipc, push twice"
    })
    void aFrameThatContradictsTheLedgerEndsTheClusterForAll(String medium, String forgery) throws Exception {
        Updates updates = new GridUpdates(1, SHAPES); // managed clusters sum in any order
        try (TestCluster cluster = TestCluster.start(driver, terms(medium, forgery))) {
            cluster.train(worker -> train(worker, updates));
            awaitPaused();
            long startNs = System.nanoTime();
            try (Outsider outsider = new Outsider(driver, cluster.plan(), "ipc".equals(medium))) {
                forge(outsider, cluster.plan(), forgery);
                for (String node : new String[] {"server 0", "server 1", "worker 0", "worker 1", "worker 2"}) {
                    ClusterException failure = cluster.awaitFailure(node);
                    assertEquals(Failure.PROTOCOL_BREACH, failure.failure(), node + ": " + failure.getMessage());
                    String message = failure.getMessage();
                    assertTrue(message.contains(sentence(forgery)), node + ": " + message);
                    long afterMs = TimeUnit.NANOSECONDS.toMillis(cluster.endedNs(node) - startNs);
                    assertTrue(afterMs < WITHIN_MS, node + " took " + afterMs + " ms");
                }
            }
        }
    }

    /**
     * Over a network frames may be lost: a frame that is ahead shows it, and the worker is asked for the frames before
     * it.
     */
    @ParameterizedTest
    @ValueSource(strings = {"push data", "push round commit"})
    void aFrameAheadOfItsTurnIsDroppedWhereFramesMayBeLost(String forgery) throws Exception {
        Updates updates = new GridUpdates(1, SHAPES);
        ClusterSettings settings = terms("udp", forgery);
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> train(worker, updates));
            awaitPaused();
            try (Outsider outsider = new Outsider(driver, cluster.plan(), false)) {
                forge(outsider, cluster.plan(), forgery);
                Thread.sleep(500);
                resumed.countDown();
                cluster.awaitSuccess();
            }
            assertEquals(1, cluster.reports().getFirst().framesRejected());
        }
    }

    /** Parts exist in managed clusters only, where they precede the last frame of their slice in a clock. */
    private static ClusterSettings terms(String medium, String forgery) {
        boolean managed = forgery.startsWith("push part ");
        return managed
                ? TestCluster.terms()
                        .protocol(Protocol.MANAGED)
                        .linkBudget("100mbit", 10_000)
                        .sliceElements(SLICE)
                        .livenessMs(15_000)
                        .transport("ipc".equals(medium) ? TransportKind.IPC : TransportKind.UDP)
                        .build()
                : terms(medium);
    }

    private static void forge(Outsider outsider, ClusterPlan plan, String forgery) {
        boolean push = forgery.startsWith("push");
        FrameBuffer frame = FrameBuffer.forDataFrames(SLICE);
        int origin = push ? plan.workerNode(forgery.endsWith("twice") ? 0 : 1) : 0; // worker 0 is always in turn
        if (forgery.endsWith("too late")) {
            int last = data(frame, plan, origin, NEXT_ROUND, 0);
            outsider.toNode(0, frame.buffer(), last);
            int checksum = Frame.checksum(frame.buffer(), 0);
            ClockLedger behind = new ClockLedger(NEXT_ROUND);
            behind.enter(checksum);
            send(outsider, push, frame, part(frame, plan, origin, behind));
        } else if (forgery.endsWith("twice")) {
            int first = data(frame, plan, origin, NEXT_ROUND, 0);
            outsider.toNode(0, frame.buffer(), first);
            send(outsider, push, frame, data(frame, plan, origin, NEXT_ROUND, 1));
        } else if (forgery.endsWith("next clock")) {
            send(outsider, push, frame, part(frame, plan, origin, ledger(NEXT_ROUND + 1, 0)));
        } else if (forgery.endsWith("part")) {
            send(outsider, push, frame, part(frame, plan, origin, ledger(NEXT_ROUND, 0)));
        } else if (forgery.endsWith("data")) {
            send(outsider, push, frame, data(frame, plan, origin, NEXT_ROUND, 7));
        } else {
            send(outsider, push, frame, commit(frame, plan, origin, NEXT_ROUND, 2));
        }
    }

    private static int part(FrameBuffer frame, ClusterPlan plan, int origin, ClockLedger ledger) {
        return new FrameWriter(plan, origin, null, FrameSeal.checksumOnly())
                .data(frame, block(frame), 0, 0, true, Frame.NO_TAG, ledger);
    }

    private static void send(Outsider outsider, boolean push, FrameBuffer frame, int length) {
        if (push) {
            outsider.toNode(0, frame.buffer(), length);
        } else {
            outsider.toBroadcast(1, frame.buffer(), length);
        }
    }

    private static String sentence(String forgery) {
        return switch (forgery) {
            case "push data" -> "worker 1, table w, sent frame 7 of clock 4 where frame ";
            case "push round commit" -> "worker 1, table w, closed clock 4 with 2 frames and digest ";
            case "push part" ->
                "worker 1, table w, sent a part of slice 0 in clock 4, which protocol update does not allow";
            case "broadcast part" ->
                "server 0, table w, sent a part of slice 0 in clock 4, which protocol update does not allow";
            case "push part too late" ->
                "worker 1, table w, sent a part of slice 0 in clock 4, of which it had sent the last";
            case "push part of the next clock" -> "worker 1, table w, sent frame 0 of clock 5 where frame 0 of clock 4";
            case "push twice" -> "worker 0, table w, pushes slice 0 twice in clock 4, expected one frame";
            case "broadcast data" -> "server 0, table w, sent frame 7 of clock 4 where frame ";
            default -> "server 0, table w, closed clock 4 with 2 frames and digest ";
        };
    }

    /** A data frame for the table's first slice that fits a ledger after {@code sequence} frames. */
    private static int data(FrameBuffer frame, ClusterPlan plan, int origin, long round, int sequence) {
        return new FrameWriter(plan, origin, null, FrameSeal.checksumOnly())
                .data(frame, block(frame), 0, 0, ledger(round, sequence));
    }

    private static Block block(FrameBuffer frame) {
        return frame.room(new Block()).set(BlockFormat.DENSE, ValueType.F32, SLICE, SLICE, SLICE * Float.BYTES);
    }

    private static int commit(FrameBuffer frame, ClusterPlan plan, int origin, long round, int frames) {
        return new FrameWriter(plan, origin, null, FrameSeal.checksumOnly())
                .roundCommit(frame.buffer(), 0, ledger(round, frames));
    }

    private static ClockLedger ledger(long round, int frames) {
        ClockLedger ledger = new ClockLedger(round);
        for (int i = 0; i < frames; i++) {
            ledger.enter(i);
        }
        return ledger;
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void invalidOrForeignFramesAreCountedAndHaveNoEffect(String medium) {
        boolean ipc = "ipc".equals(medium);
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), SHAPES);
            List<ServerReport> reports;
            try (TestCluster cluster = TestCluster.start(driver, terms(medium))) {
                cluster.train(worker -> {
                    train(worker, updates);
                    Deadline.await(
                            "worker " + worker.index() + " counts all, now " + worker.framesRejected(),
                            () -> worker.framesRejected() == Nuisance.EACH * (ipc ? 4 : 2),
                            worker::drain);
                });
                awaitPaused();
                try (Outsider outsider = new Outsider(driver, cluster.plan(), ipc)) {
                    new Nuisance(outsider, cluster, random.split()).pester();
                    resumed.countDown();
                    cluster.awaitSuccess();
                }
                reports = cluster.reports();
            }
            assertEquals(Nuisance.EACH * 2, reports.get(0).framesRejected());
            assertEquals(Nuisance.EACH * 2, reports.get(1).framesRejected());
        });
    }

    /** Sends many useless frames to every node's data stream, and again to its control stream. */
    private static final class Nuisance {
        static final int EACH = 40;

        private final Outsider outsider;
        private final TestCluster cluster;
        private final ClusterPlan plan;
        private final SplittableRandom random;

        Nuisance(Outsider outsider, TestCluster cluster, SplittableRandom random) {
            this.outsider = outsider;
            this.cluster = cluster;
            this.plan = cluster.plan();
            this.random = random;
        }

        void pester() {
            ClusterPlan foreign = new ClusterPlan(plan.clusterId() ^ 5, 0, plan.settings(), plan.nodes());
            FrameBuffer frame = FrameBuffer.forDataFrames(SLICE);
            for (int i = 0; i < EACH; i++) {
                for (int node = 0; node < plan.nodes().size(); node++) {
                    int worker = plan.workerIndex(node);
                    int sender = worker < 0 ? plan.workerNode(i % 3) : 0;
                    // Every third is garbage, every third foreign, every third a duplicate of long ago.
                    if (i % 3 == 0) {
                        UnsafeBuffer garbage = Outsider.garbage(random);
                        toData(node, garbage, garbage.capacity());
                        outsider.toControl(node, garbage, garbage.capacity());
                        outsider.toControl(cluster.address(), garbage, garbage.capacity());
                    } else if (i % 3 == 1) {
                        int length = data(frame, foreign, sender, NEXT_ROUND, 7);
                        toData(node, frame.buffer(), length);
                        outsider.toControl(node, frame.buffer(), length);
                        outsider.toControl(cluster.address(), frame.buffer(), length);
                    } else {
                        int length = i % 2 == 0
                                ? data(frame, plan, sender, i % NEXT_ROUND, 0)
                                : commit(frame, plan, sender, i % NEXT_ROUND, 3);
                        toData(node, frame.buffer(), length);
                        outsider.toControl(node, frame.buffer(), length);
                    }
                }
            }
        }

        private void toData(int node, DirectBuffer buffer, int length) {
            if (plan.workerIndex(node) < 0) {
                outsider.toNode(node, buffer, length);
            } else {
                outsider.toBroadcast(plan.workerIndex(node), buffer, length);
            }
        }
    }

    /** Trains, pauses so that every ledger is at the beginning of a round, and continues on a signal. */
    private void train(Worker worker, Updates updates) throws Exception {
        Table table = updates.declare(worker).getFirst();
        worker.start(updates::initial);
        Reference reference = new Reference(updates, worker.workers());
        for (long round = 1; round <= ROUNDS; round++) {
            table.sync();
            if (!worker.settings().isManaged()) { // there it may hold parts of the next round
                reference.requireSame(table, round - 1);
            }
            if (NEXT_ROUND == round) {
                worker.drain();
                paused.countDown();
                // Polls in the meantime, as the server does: no node continues before it has seen the forgery.
                Deadline.await("all may continue", () -> 0 == resumed.getCount(), worker::drain);
            }
            table.update(updates.of(table.spec(), worker.index(), round));
            worker.clock();
            reference.apply(round);
        }
        worker.drain();
        reference.requireSame(table, ROUNDS);
    }

    private void awaitPaused() throws InterruptedException {
        assertTrue(paused.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
    }
}
