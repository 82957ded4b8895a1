package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.standard.RuleByHand;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each table of a cluster follows terms of its own. */
@Timeout(240)
class TableTermsRunTest {
    private static final int CLOCKS = 6;

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
     * Two workers add 2^k in clock k to each element, a number that bf16 holds; what a table shows depends on its
     * terms.
     */
    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void eachTableFollowsItsTerms(TransportKind transport) {
        ClusterSettings settings = TestCluster.terms()
                .servers(2)
                .workers(2)
                .transport(transport)
                .sliceElements(100)
                .filter("kept", "fixed:1e30")
                .broadcastFilter("unseen", "fixed:1e30")
                .rule("mean", "mean")
                .rule("revised", "adarevision:1")
                .values("rounded", "bf16")
                .sliceElements("rounded", 7)
                .build();
        TestCluster.run(driver, settings, worker -> {
            List<Table> tables = List.of("exact", "kept", "unseen", "mean", "revised", "rounded").stream()
                    .map(name -> worker.table(name, 10, 30))
                    .toList();
            worker.start(Initialiser.ZEROS);
            for (int clock = 1; clock <= CLOCKS; clock++) {
                for (Table table : tables) {
                    table.sync();
                    table.update(filled(300, 1 << clock));
                }
                worker.clock();
            }
            worker.drain();
            float sum = 2 * ((2 << CLOCKS) - 2);
            requireAll(tables.get(0), sum);
            requireAll(tables.get(1), 0);
            requireAll(tables.get(2), 0);
            requireAll(tables.get(3), sum / 2);
            requireAll(tables.get(4), revised());
            requireAll(tables.get(5), sum);
            assertEquals(3, tables.get(0).spec().slices());
            assertEquals(43, tables.get(5).spec().slices());
            assertEquals(0, worker.framesRejected());
        });
    }

    /** AdaRevision in one process. */
    private static float revised() {
        RuleByHand rule = new RuleByHand("adarevision:1");
        float value = 0;
        for (int clock = 1; clock <= CLOCKS; clock++) {
            float push = 1 << clock;
            value += rule.add(0, clock, push, push);
        }
        return value;
    }

    @Test
    void termsOfATableThatIsNotDeclaredAreRefusedAtTheStart() {
        ClusterSettings settings =
                TestCluster.terms().filter("moveis", "dvf:0.1").build();
        AtomicReference<String> message = new AtomicReference<>();
        assertThrows(
                AssertionError.class,
                () -> TestCluster.run(driver, settings, worker -> {
                    worker.table("movies", 1, 10);
                    worker.table("users", 1, 10);
                    try {
                        worker.start(Initialiser.ZEROS);
                    } catch (IllegalArgumentException e) {
                        message.set(e.getMessage());
                        throw e;
                    }
                }));
        assertEquals("the terms name table 'moveis', expected one of movies, users", message.get());
    }

    private static float[] filled(int length, float value) {
        float[] values = new float[length];
        Arrays.fill(values, value);
        return values;
    }

    private static void requireAll(Table table, float expected) {
        assertArrayEquals(
                filled(300, expected), Updates.copy(table), () -> table.spec().name());
    }
}
