package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parameters that a trainer reads while its updates are in flight, and after. */
@Timeout(240)
class ReadMyWritesTest {
    private static final int CLOCKS = 30;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 30, 20), new Shape("b", 1, 10));

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** While others have pushed nothing, no version contains this worker's pushes. */
    @Drawn
    @ParameterizedTest
    @CsvSource({"ssp:2, true, 1", "ssp:2, false, 0", "tap, true, 1", "tap, false, 0"})
    void aWorkerThatIsAheadReadsItsOwnUpdates(String consistency, boolean reads, float expected) {
        ClusterSettings settings = TestCluster.terms().consistency(consistency).build();
        CountDownLatch looked = new CountDownLatch(1);
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.adjustWorkers(worker -> worker.readMyWrites(reads));
            cluster.train(worker -> {
                Table table = worker.table("w", 20, 20);
                worker.start(Initialiser.ZEROS);
                if (worker.index() > 0) {
                    looked.await();
                }
                float[] update = new float[400];
                for (int clock = 1; clock <= 2; clock++) {
                    update[7] = clock;
                    update[399] = -clock;
                    table.sync();
                    table.update(update);
                    worker.clock();
                    if (0 == worker.index()) {
                        table.sync();
                        assertEquals(0, table.version());
                        assertEquals(expected * clock * (clock + 1) / 2, table.get(0, 7));
                        assertEquals(0 - expected * clock * (clock + 1) / 2, table.get(19, 19));
                        assertEquals(0, table.replica().getAtIndex(JAVA_FLOAT, 7), "replicas have broadcasts alone");
                    }
                }
                looked.countDown();
                worker.drain();
                assertEquals(9, table.get(0, 7));
                assertEquals(-9, table.get(19, 19));
            });
            cluster.awaitSuccess();
        }
    }

    /** After the end all workers read their replica, and all replicas are equal. */
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"ssp:1 none f32", "ssp:3 dvf:20 f16", "ssp:12 none bf16", "tap none f32", "tap dvf:20 f32"})
    void theOverlayIsEmptyAfterADrain(String terms) {
        String[] term = terms.split(" ");
        ClusterSettings settings = TestCluster.terms()
                .consistency(term[0])
                .filter(term[1])
                .values(term[2])
                .build();
        Property.holds(1, random -> {
            Updates updates = new GridUpdates(random.nextLong(), SHAPES);
            Map<Integer, float[]> ends = new ConcurrentHashMap<>();
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.start(worker);
                for (int clock = 0; clock < CLOCKS; clock++) {
                    updates.step(worker, tables);
                }
                worker.drain();
                for (Table table : tables) {
                    assertEquals(-1, table.read().mismatch(table.replica()));
                }
                ends.put(worker.index(), Updates.copy(tables.getFirst()));
            });
            for (float[] end : ends.values()) {
                assertArrayEquals(ends.get(0), end);
            }
        });
    }

    /** Sums on the grid are exact, so runs with and without the overlay end with the same bits. */
    @ParameterizedTest
    @ValueSource(strings = {"ssp:2", "tap"})
    void endsWithTheBitsOfARunWithoutIt(String consistency) {
        ClusterSettings settings = TestCluster.terms().consistency(consistency).build();
        assertArrayEquals(end(settings, true), end(settings, false));
    }

    private static float[] end(ClusterSettings settings, boolean reads) {
        Updates updates = new GridUpdates(5, SHAPES);
        Map<Integer, float[]> ends = new ConcurrentHashMap<>();
        try (TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.adjustWorkers(worker -> worker.readMyWrites(reads));
            cluster.train(worker -> {
                List<Table> tables = updates.start(worker);
                for (int clock = 0; clock < CLOCKS; clock++) {
                    updates.step(worker, tables);
                }
                worker.drain();
                ends.put(worker.index(), Updates.copy(tables.getFirst()));
            });
            cluster.awaitSuccess();
        }
        return ends.get(0);
    }
}
