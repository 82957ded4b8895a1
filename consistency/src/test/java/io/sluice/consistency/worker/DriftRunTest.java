package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Under {@code drift} a worker withholds updates until they matter, and none is lost. */
@Timeout(240)
class DriftRunTest {
    private static final int CLOCKS = 30;
    private static final List<Shape> SHAPES = List.of(new Shape("w", 40, 25), new Shape("b", 1, 3));

    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /**
     * With updates whose sums are exact, a replica is at every clock the sum of what each worker has pushed, which one
     * process computes from the rule.
     */
    @Tag("slow")
    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"drift:0,1", "drift:0.3,5", "drift:1,8", "drift:1e30,10"})
    void replicasAreTheReferenceAtEveryClock(String rule) {
        double share = Double.parseDouble(rule.substring("drift:".length(), rule.indexOf(',')));
        int rounds = Integer.parseInt(rule.substring(rule.indexOf(',') + 1));
        Property.holds(1, random -> {
            ClusterSettings settings = TestCluster.terms()
                    .servers(2)
                    .workers(3)
                    .sliceElements(random.nextInt(1, 300))
                    .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                    .consistency(rule)
                    .build();
            Updates updates = new GridUpdates(random.nextLong(), SHAPES);
            TestCluster.run(driver, settings, worker -> {
                List<Table> tables = updates.declare(worker);
                worker.start(updates::initial);
                List<ByHand> expected = tables.stream()
                        .map(table -> new ByHand(table, updates, worker.workers(), share, rounds))
                        .toList();
                for (long round = 1; round <= CLOCKS; round++) {
                    for (int i = 0; i < tables.size(); i++) {
                        Table table = tables.get(i);
                        table.sync();
                        expected.get(i).require(round - 1);
                        table.update(updates.of(table.spec(), worker.index(), round));
                    }
                    worker.clock();
                    for (ByHand each : expected) {
                        each.apply(round);
                    }
                }
                worker.drain();
                expected.forEach(each -> each.require(CLOCKS));
                assertEquals(0, worker.framesRejected());
            });
        });
    }

    /** Withheld elements count as offered, and the last threshold stays. */
    @Test
    void whatIsWithheldIsOfferedAndNotKept() {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(1)
                .consistency("drift:1e30,4")
                .filter("fixed:0.5")
                .build();
        TestCluster.run(driver, settings, worker -> {
            Table table = worker.table("w", 1, 10);
            worker.start((name, start, values) -> Arrays.fill(values, 1));
            for (int clock = 1; clock <= 6; clock++) {
                table.sync();
                float[] update = new float[10];
                update[clock] = 1;
                table.update(update);
                worker.clock();
                assertEquals(10L * clock, worker.stats().elementsOffered());
                assertEquals(clock < 4 ? 0 : 4, worker.stats().elementsKept());
                assertEquals(clock < 4 ? 0 : 0.5f, worker.stats().lastThreshold());
            }
            worker.drain();
        });
    }

    /** A table, and what each worker has not pushed, in one process. */
    private static final class ByHand {
        private final Table table;
        private final Updates updates;
        private final double share;
        private final int rounds;
        private final float[] parameters;
        private final float[][] kept;

        ByHand(Table table, Updates updates, int workers, double share, int rounds) {
            this.table = table;
            this.updates = updates;
            this.share = share;
            this.rounds = rounds;
            this.parameters = new float[(int) table.spec().elements()];
            this.kept = new float[workers][parameters.length];
            updates.initial(table.spec().name(), 0, parameters);
        }

        void apply(long round) {
            double replica = norm(parameters);
            for (int worker = 0; worker < kept.length; worker++) {
                add(kept[worker], updates.of(table.spec(), worker, round));
            }
            for (float[] residual : kept) {
                if (norm(residual) > share * replica || round % rounds == 0) {
                    add(parameters, residual);
                    Arrays.fill(residual, 0);
                }
            }
        }

        void require(long version) {
            assertArrayEquals(
                    parameters, Updates.copy(table), () -> table.spec().name() + " at version " + version);
        }

        private static void add(float[] to, float[] values) {
            for (int i = 0; i < to.length; i++) {
                to[i] += values[i];
            }
        }

        private static double norm(float[] values) {
            double squares = 0;
            for (float value : values) {
                squares += (double) value * value;
            }
            return Math.sqrt(squares);
        }
    }
}
