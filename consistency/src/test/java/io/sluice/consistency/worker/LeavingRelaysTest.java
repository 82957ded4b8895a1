package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TransportKind;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Relays that are each other's children in different trees leave: no two wait for each other. */
@Timeout(240)
class LeavingRelaysTest {
    private static final int CLOCKS = 8;
    private static final int ELEMENTS = 1_000;

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static ClusterSettingsBuilder terms(String tree, String consistency) {
        return TestCluster.terms().compressor("none").tree(tree).consistency(consistency);
    }

    private static Table begin(Worker worker) {
        Table table = worker.table("w", 1, ELEMENTS);
        worker.start(Initialiser.ZEROS);
        return table;
    }

    private static void train(Worker worker, Table table, int clocks) {
        float[] update = new float[ELEMENTS];
        Arrays.fill(update, 1);
        while (worker.completed() < clocks) {
            table.sync();
            table.update(update);
            worker.clock();
        }
    }

    /** Each worker is an ancestor of each other one in some tree. */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"rotated:1, tap", "rotated:1, ssp:3"})
    void allLeaveAtTheSameTime(String tree, String consistency) {
        ClusterSettings settings = terms(tree, consistency)
                .transport(TransportKind.UDP)
                .servers(4)
                .workers(4)
                .build();
        Map<Integer, Long> relayed = new ConcurrentHashMap<>();
        TestCluster.run(driver, settings, worker -> {
            train(worker, begin(worker), CLOCKS);
            relayed.put(worker.index(), worker.bytesRelayed());
        });
        assertTrue(relayed.values().stream().filter(bytes -> bytes > 0).count() > 1, () -> "bytes relayed: " + relayed);
    }

    /**
     * The first worker of each host relays its route to the other host, and the other route to its own. If every push
     * counts, the last pushes of the others complete no round, because one worker has left.
     */
    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"backup:1", "ssp:3"})
    void hostsThatSendEachOtherStripes(String consistency) {
        ClusterSettings settings =
                terms("stripes", consistency).servers(1).workers(4).build();
        try (TestDriver first = TestDriver.launch();
                TestDriver second = TestDriver.launch();
                TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.adjustWorkers(worker -> {
                TestDriver host = worker.index() < 2 ? first : second;
                worker.aeronDirectory(host.directory()).channels(host.lengths());
            });
            Map<Integer, Long> relayed = new ConcurrentHashMap<>();
            cluster.train(worker -> {
                train(worker, begin(worker), 3 == worker.index() ? CLOCKS - 3 : CLOCKS);
                relayed.put(worker.index(), worker.bytesRelayed());
            });
            cluster.awaitSuccess();
            assertTrue(relayed.get(0) > 0 && relayed.get(2) > 0, () -> "bytes relayed: " + relayed);
        }
    }

    /** The worker is a descendant of the others in some trees, and trains long after they have left. */
    @Tag("slow")
    @Test
    void theLastToTrainIsRelayedToUntilItIsDone() {
        int last = 1;
        int more = 200;
        ClusterSettings settings = terms("rotated:1", "tap")
                .transport(TransportKind.UDP)
                .servers(3)
                .build();
        CountDownLatch othersClose = new CountDownLatch(2);
        TestCluster.run(driver, settings, worker -> {
            Table table = begin(worker);
            train(worker, table, CLOCKS);
            othersClose.countDown();
            if (last == worker.index()) {
                assertTrue(
                        othersClose.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS),
                        "the other workers complete their clocks");
                train(worker, table, more);
                Deadline.await("the table has the pushes of all workers", () -> {
                    table.sync();
                    return more + 2 * CLOCKS == table.get(0, ELEMENTS - 1);
                });
                assertEquals(0, worker.framesRejected());
            }
        });
    }
}
