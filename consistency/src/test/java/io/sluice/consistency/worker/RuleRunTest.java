package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.standard.RuleByHand;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TransportKind;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Under BSP every replica is, bit for bit and at every clock, what one process makes of the same pushes with the
 * formulas of the rule.
 */
@Timeout(240)
class RuleRunTest {
    private static final int CLOCKS = 12;
    private static final List<Shape> SHAPES = List.of(new Shape("bias", 1, 1), new Shape("w", 13, 31));

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
    @ValueSource(
            strings = {
                "mean",
                "mean;weighted",
                "adagrad:0.4",
                "adarevision:0.08",
                "momentum:0.1,0.9",
                "momentum:0.1,0.9;outer;weighted",
                "nesterov:0.7,0.5",
                "adam:0.01,0.9,0.999"
            })
    void everyReplicaIsTheReferenceAtEveryClock(String rule) {
        Property.holds(1, random -> {
            ClusterSettings settings = TestCluster.terms()
                    .servers(random.nextInt(1, 4))
                    .workers(random.nextInt(1, 5))
                    .sliceElements(random.nextInt(1, 200))
                    .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                    .order(random.nextBoolean() ? "fifo" : "random:3")
                    .rule(rule)
                    .build();
            Updates updates = new Updates(random.nextLong(), SHAPES);
            TestCluster.run(driver, settings, worker -> train(worker, updates, rule));
        });
    }

    private static void train(Worker worker, Updates updates, String rule) {
        List<Table> tables = updates.declare(worker);
        worker.start(updates::initial);
        List<ByHand> expected = tables.stream()
                .map(table -> new ByHand(table.spec(), updates, rule, worker.workers()))
                .toList();
        for (long round = 1; round <= CLOCKS; round++) {
            if (rule.endsWith(";weighted")) {
                worker.weigh(weight(worker.index(), round));
            }
            for (int i = 0; i < tables.size(); i++) {
                Table table = tables.get(i);
                table.sync();
                expected.get(i).require(table, round - 1);
                table.update(updates.of(table.spec(), worker.index(), round));
            }
            worker.clock();
            for (ByHand each : expected) {
                each.apply(round);
            }
        }
        worker.drain();
        for (int i = 0; i < tables.size(); i++) {
            expected.get(i).require(tables.get(i), CLOCKS);
        }
        assertEquals(0, worker.framesRejected());
    }

    private static int weight(int worker, long round) {
        return 1 + (int) (7 * worker + 3 * round) % 11;
    }

    /** A table in one process. */
    private static final class ByHand {
        private final TableSpec spec;
        private final Updates updates;
        private final int workers;
        private final RuleByHand[] rules;
        private final float[] parameters;

        ByHand(TableSpec spec, Updates updates, String rule, int workers) {
            this.spec = spec;
            this.updates = updates;
            this.workers = workers;
            this.rules = new RuleByHand[(int) spec.elements()];
            Arrays.setAll(rules, _ -> new RuleByHand(rule));
            this.parameters = new float[rules.length];
            updates.initial(spec.name(), 0, parameters);
        }

        void apply(long round) {
            float[][] pushes = new float[workers][];
            Arrays.setAll(pushes, worker -> updates.of(spec, worker, round));
            int[] weights = new int[workers];
            Arrays.setAll(weights, worker -> weight(worker, round));
            for (int i = 0; i < parameters.length; i++) {
                int at = i;
                Float[] ofOne = Arrays.stream(pushes).map(push -> push[at]).toArray(Float[]::new);
                parameters[i] += rules[i].add(0, round, weights, ofOne);
            }
        }

        void require(Table table, long version) {
            assertArrayEquals(parameters, Updates.copy(table), () -> spec.name() + " at version " + version);
        }
    }

    /** Workers that run apart: all replicas are the same at the end. */
    @Drawn
    @ParameterizedTest
    @CsvSource({
        "mean, ssp:2",
        "mean;weighted, 'drift:0.5,4'",
        "adagrad:0.4, ssp:1",
        "adarevision:0.4, ssp:1",
        "adarevision:0.4, ssp:4",
        "momentum:0.1, tap",
        "adam:0.01, backup:1"
    })
    void replicasAgreeAfterDraining(String rule, String consistency) {
        ClusterSettings settings = TestCluster.terms()
                .servers(2)
                .workers(3)
                .sliceElements(64)
                .consistency(consistency)
                .rule(rule)
                .build();
        Property.holds(1, random -> {
            Updates updates = new Updates(random.nextLong(), SHAPES);
            ConcurrentHashMap<Integer, float[]> last = new ConcurrentHashMap<>();
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.start(worker);
                for (int clock = 0; clock < CLOCKS; clock++) {
                    updates.step(worker, tables);
                }
                worker.drain();
                last.put(worker.index(), Updates.copy(tables.getLast()));
            });
            last.values().forEach(replica -> assertArrayEquals(last.get(0), replica));
        });
    }
}
