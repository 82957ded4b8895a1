package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.messaging.Settings;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The number of lanes in which workers filter changes no bit of any replica, as long as no filter estimates. */
@Timeout(240)
class FilterLanesTest {
    private static final int CLOCKS = 6;

    /** A table of 204 slices, the last one short, and a table of one slice, which needs one lane only. */
    private static final List<Shape> SHAPES = List.of(new Shape("w", 100, 130), new Shape("bias", 1, 3));

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "update, none, f32, sum",
        "update, dvf:1, f32, sum",
        "update, dvf:1, bf16-packed, sum",
        "update, dvf:20, f32, mean;weighted",
        "push-pull, none, f32, sum"
    })
    void changesNoBit(String protocol, String filter, String values, String rule) {
        ClusterSettings settings = TestCluster.terms()
                .workers(2)
                .protocol(Settings.constant("protocol", protocol, Protocol.class))
                .filter(filter)
                .values(values)
                .rule(rule)
                .build();
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), SHAPES);
            float[] inOne = trained(settings, updates, 1);
            assertArrayEquals(inOne, trained(settings, updates, 2));
            assertArrayEquals(inOne, trained(settings, updates, 5));
        });
    }

    private static float[] trained(ClusterSettings settings, Updates updates, int lanes) {
        ConcurrentHashMap<Integer, float[]> last = new ConcurrentHashMap<>();
        try (TestCluster cluster =
                TestCluster.start(driver, settings).adjustWorkers(worker -> worker.filterLanes(lanes))) {
            cluster.train(worker -> {
                List<Table> tables = updates.declare(worker);
                worker.start(updates::initial);
                if (!"sum".equals(settings.table(tables.getFirst().spec()).rule())) {
                    worker.weigh(3 + 4 * worker.index());
                }
                for (long round = 1; round <= CLOCKS; round++) {
                    for (Table table : tables) {
                        table.sync();
                    }
                    // Every third time only the residual is pushed.
                    for (Table table : round % 3 == 0 ? List.<Table>of() : tables) {
                        table.update(updates.of(table.spec(), worker.index(), round));
                    }
                    worker.clock();
                }
                worker.drain();
                last.put(worker.index(), Updates.copy(tables.getFirst()));
            });
            cluster.awaitSuccess();
        }
        assertArrayEquals(last.get(0), last.get(1));
        return last.get(0);
    }
}
