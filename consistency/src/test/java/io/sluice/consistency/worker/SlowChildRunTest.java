package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The middle of a chain of three takes a frame only every few milliseconds, and never stalls: its parent waits for it,
 * and every replica is the reference, bit for bit.
 */
@Timeout(300)
class SlowChildRunTest {
    private static final int CLOCKS = 4;
    private static final int SLOW = 1;
    private static final int TERM_LENGTH = 64 << 10;
    private static final int RING = 64 << 10;
    private static final long PER_FRAME_NS = TimeUnit.MILLISECONDS.toNanos(4);

    /** Far more frames in a version than ring and logs hold. */
    private static final List<Shape> SHAPES = List.of(new Shape("w", 150, 1_000), new Shape("b", 1, 9));

    /** A relay reads the time at each frame. */
    private static long slowTime() {
        if (Thread.currentThread().getName().startsWith("sluice-relay")) {
            LockSupport.parkNanos(PER_FRAME_NS);
        }
        return System.nanoTime();
    }

    private static TestCluster start(TestDriver driver, String consistency) {
        ClusterSettings settings = TestCluster.terms()
                .transport(TransportKind.UDP)
                .compressor("none")
                .servers(1)
                .workers(3)
                .sliceElements(1_000)
                .tree("chain")
                .consistency(consistency)
                .build();
        NanoClock slow = SlowChildRunTest::slowTime;
        return TestCluster.of(driver, settings)
                .adjustWorkers(worker -> worker.relayBytes(RING))
                .adjustWorkers(worker -> worker.clock(worker.index() == SLOW ? slow : System::nanoTime))
                .serve();
    }

    /** Compares every version with a reference, if there is one. */
    private static void train(Worker worker, Updates updates, Reference reference) {
        List<Table> tables = updates.declare(worker);
        worker.start(updates::initial);
        for (long round = 1; round <= CLOCKS; round++) {
            for (Table table : tables) {
                table.sync();
                requireSame(reference, table, round - 1);
                table.update(updates.of(table.spec(), worker.index(), round));
            }
            worker.clock();
            if (null != reference) {
                reference.apply(round);
            }
        }
        worker.drain();
        tables.forEach(table -> requireSame(reference, table, CLOCKS));
        assertTrue(worker.stats().bytesDecoded() > 0, "nothing was applied");
    }

    private static void requireSame(Reference reference, Table table, long version) {
        if (null != reference) {
            reference.requireSame(table, version);
        }
    }

    /** All workers keep the pace of the child, and no worker misses a frame: none is skipped or repeated. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"bsp", "tap"})
    void aSlowChildDelaysTheOthersAndNoFrameIsMissed(String consistency) {
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), SHAPES);
            boolean exact = "bsp".equals(consistency);
            try (TestDriver driver = TestDriver.launch(TERM_LENGTH);
                    TestCluster cluster = start(driver, consistency)) {
                cluster.train(
                        worker -> train(worker, updates, exact ? new Reference(updates, worker.workers()) : null));
                cluster.awaitSuccess();
                assertEquals(List.of(), cluster.errors());
                long resent = cluster.reports().stream()
                        .mapToLong(ServerReport::framesResent)
                        .sum();
                assertEquals(0, resent);
            }
        });
    }
}
