package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import java.util.function.LongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An update, a sum or a parameter that is NaN or infinite ends the job at all nodes, with a sentence that names it. */
@Timeout(240)
class NotFiniteTest {
    private static final int CLOCKS = 12;
    private static final float LARGE = 3e38f;
    private static final String PLACE = " for table w, slice 2, row 14, column 3 in clock ";
    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    /** A managed server may broadcast a part of the sum before it overflows: then the parameter does. */
    @Tag("slow")
    @ParameterizedTest
    @EnumSource(value = Protocol.class, mode = EnumSource.Mode.EXCLUDE, names = "MANAGED")
    void aSumOfFiniteUpdatesThatOverflowsEndsTheJob(Protocol protocol) {
        endsWith(
                TestCluster.terms(protocol),
                clock -> 3 == clock ? LARGE : 1,
                "pushed 3.0E38 for table w, slice 2, row 14, column 3 in clock 3, which makes the sum Infinity",
                true);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void aParameterThatOverflowsEndsTheJob(Protocol protocol) {
        String makes = Protocol.PUSH_PULL == protocol
                ? "the sum 3.0E38 for table w, slice 2, row 14, column 3 of version 2 makes the parameter Infinity"
                : " broadcast 3.0E38 for table w, slice 2, row 14, column 3 in version 2, which makes the parameter"
                        + " Infinity";
        endsWith(TestCluster.terms(protocol).workers(1), _ -> LARGE, makes, true);
    }

    @Test
    void anOverflowOfAParameterKeptForNewcomersEndsTheJob() {
        endsWith(
                TestCluster.terms().workers(1).places(2),
                _ -> LARGE,
                "the sum 3.0E38 for table w, slice 2, row 14, column 3 of version 2 makes the parameter Infinity",
                true);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void anUpdateThatIsNotFiniteEndsTheJob(Protocol protocol) {
        endsWith(
                TestCluster.terms(protocol),
                clock -> 3 == clock ? Float.NaN : 1,
                Protocol.PUSH_PULL == protocol
                        ? "was given the update NaN" + PLACE + "3, which makes NaN of the sum to push"
                        : "pushed NaN" + PLACE + "3, which makes the sum NaN",
                false);
    }

    /** The rounding error of a value type stays with the worker, which adds the next update to it. */
    @Test
    void anOverflowOfAResidualEndsTheJob() {
        endsWith(
                TestCluster.terms().values("f16"),
                _ -> LARGE,
                "was given the update 3.0E38" + PLACE + "2, which makes Infinity of the sum to push",
                true);
    }

    private static void endsWith(
            ClusterSettingsBuilder terms, LongFunction<Float> update, String sentence, boolean checked) {
        ClusterSettings settings = terms.build();
        try (TestCluster cluster = TestCluster.of(driver, settings)) {
            cluster.adjustWorkers(context -> context.finiteOnly(checked)).serve();
            cluster.train(worker -> {
                Table table = worker.table("w", 20, 10);
                worker.start(Initialiser.ZEROS);
                float[] values = new float[200];
                for (long clock = 1; clock <= CLOCKS; clock++) {
                    values[143] = update.apply(clock);
                    table.sync();
                    table.update(values);
                    worker.clock();
                }
            });
            for (int server = 0; server < settings.servers(); server++) {
                assertNames(sentence, cluster.awaitFailure("server " + server));
            }
            for (int worker = 0; worker < settings.workers(); worker++) {
                assertNames(sentence, cluster.awaitFailure("worker " + worker));
            }
        }
    }

    private static void assertNames(String sentence, ClusterException failure) {
        assertTrue(failure.getMessage().contains(sentence), failure.getMessage());
        assertEquals(Failure.NOT_FINITE, failure.failure());
    }
}
