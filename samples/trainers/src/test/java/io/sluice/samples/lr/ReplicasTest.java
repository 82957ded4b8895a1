package io.sluice.samples.lr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.samples.ReplicaHash;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.lr.Trained.Outcome;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parameters that all workers hold in the end. */
@Timeout(120)
class ReplicasTest {
    private static final Dataset DATA = Rows.separable(400, 3_000, 17);
    private static final DescentSettings LR = new DescentSettings(25, 10, 20, 4);

    /** Many slices, few floats each. */
    private static ClusterSettingsBuilder terms() {
        return ClusterSettings.builder().sliceElements(200);
    }

    private static String reference(int workers) {
        return ReplicaHash.of(LrReference.train(DATA, LR, workers, (clock, loss) -> {}, UpdateListener.NONE));
    }

    private static void assertAllAre(String hash, Outcome outcome) {
        for (Trained worker : outcome.workers()) {
            assertEquals(hash, worker.hash());
            assertEquals(hash, ReplicaHash.of(worker.parameters()), "of the replica's copy");
            assertEquals(0, worker.framesRejected());
        }
        outcome.servers().forEach(server -> assertEquals(0, server.framesRejected()));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, uniform, IPC, none",
        "1, 3, round-robin, IPC, none",
        "2, 1, largest-first, UDP, none",
        "3, 2, round-robin, UDP, lz4",
        "4, 2, uniform, IPC, snappy",
        "2, 2, uniform, UDP, auto",
        "2, 1, round-robin, UDP, zstd",
        "5, 3, largest-first, IPC, none",
        "2, 16, round-robin, IPC, none"
    })
    void areTheReferencesWithoutAFilter(
            int workers, int servers, String placement, TransportKind transport, String compressor) {
        ClusterSettingsBuilder terms = terms().workers(workers)
                .servers(servers)
                .filter("none")
                .placement(placement)
                .transport(transport)
                .compressor(compressor);
        assertAllAre(reference(workers), Trained.by(terms, DATA, LR));
    }

    @Test
    void areTheReferencesWithAThresholdOfZero() {
        ClusterSettingsBuilder terms = terms().workers(3).servers(2).filter("dvf:0");
        assertAllAre(reference(3), Trained.by(terms, DATA, LR));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bsp", "ssp:0", "ssp:3", "tap"})
    void areIdenticalWithTheFilterAndKeepBackNoMoreThanTheThreshold(String consistency) {
        ClusterSettingsBuilder terms = terms().workers(3).servers(2).consistency(consistency);
        Outcome outcome = Trained.by(terms.filter("dvf:0.1"), DATA, LR);
        assertAllAre(outcome.workers().getFirst().hash(), outcome);
        for (Trained worker : outcome.workers()) {
            assertEquals((float) (0.1 / Math.sqrt(LR.clocks())), worker.lastThreshold(), 1e-6f);
            assertTrue(worker.residualMaxAbs() <= worker.lastThreshold());
            assertTrue(worker.residualMaxAbs() > 0, "something was kept back");
        }
        for (ServerReport server : outcome.servers()) {
            assertTrue(server.residualMaxAbs() <= server.lastThreshold());
        }
    }

    /** All policies train the model, and all replicas are equal. */
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fixed:0.02",
                "adaptive:0.05,0.2",
                "density:0.01;warmup=10",
                "sidco:0.01",
                "topk:0.01",
                "budget:1kb",
                "sign;warmup=20",
                "tern;feedback;group=64",
                "qsgd:7;feedback"
            })
    void areIdenticalWhateverIsKept(String filter) {
        ClusterSettingsBuilder terms = terms().workers(3).servers(2).filter(filter);
        Outcome outcome = Trained.by(terms, DATA, LR);
        assertAllAre(outcome.workers().getFirst().hash(), outcome);
        for (Trained worker : outcome.workers()) {
            assertTrue(worker.residualMaxAbs() <= worker.lastThreshold());
            assertTrue(worker.residualMaxAbs() > 0, "something was kept back");
        }
    }

    /** A relay forwards what the server has quantised. */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"tern, bsp, chain", "qsgd:7, bsp, flat", "qsgd:3, ssp:2, chain", "sign;warmup=10, tap, rotated:2"})
    void areIdenticalWithQuantisers(String filter, String consistency, String tree) {
        ClusterSettingsBuilder terms = terms().workers(3)
                .servers(2)
                .filter(filter)
                .consistency(consistency)
                .tree(tree);
        Outcome outcome = Trained.by(terms, DATA, LR);
        assertAllAre(outcome.workers().getFirst().hash(), outcome);
        for (Trained worker : outcome.workers()) {
            assertEquals(filter.startsWith("sign"), worker.residualMaxAbs() > 0, "without feedback nothing is kept");
        }
    }

    @ParameterizedTest
    @CsvSource({"bsp, 0", "ssp:0, 0", "ssp:1, 1", "ssp:3, 3"})
    void areNeverStalerThanTheRuleAllows(String consistency, long bound) {
        ClusterSettingsBuilder terms =
                terms().workers(4).servers(2).consistency(consistency).filter("none");
        Outcome outcome = Trained.by(terms, DATA, LR);
        List<Long> staleness =
                outcome.workers().stream().map(Trained::maxStaleness).toList();
        assertTrue(staleness.stream().allMatch(clocks -> clocks <= bound), staleness.toString());
        assertAllAre(outcome.workers().getFirst().hash(), outcome);
    }

    @Test
    void areIdenticalWithPushPull() {
        ClusterSettingsBuilder terms = terms().workers(3).servers(2).protocol(Protocol.PUSH_PULL);
        Outcome outcome = Trained.by(terms, DATA, LR);
        assertAllAre(outcome.workers().getFirst().hash(), outcome);
        float[] expected = LrReference.train(DATA, LR, 3, (clock, loss) -> {}, UpdateListener.NONE);
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], outcome.workers().getFirst().parameters()[i], 1e-3f);
        }
    }
}
