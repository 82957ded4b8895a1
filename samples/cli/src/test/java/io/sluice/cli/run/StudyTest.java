package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The default job against the two that it is measured by, all three run in full. */
@Tag("trial")
@Timeout(400)
class StudyTest {
    private static JsonNode filtered;
    private static JsonNode exact;
    private static JsonNode dense;

    @BeforeAll
    static void run() {
        filtered = LrRun.report(Cli.asLaunched());
        exact = LrRun.report(Cli.asLaunched(), "--filter", "none");
        dense = LrRun.report(Cli.asLaunched(), "--protocol", "push-pull");
    }

    @Test
    void theFilterCostsNoAccuracy() {
        double difference = filtered.get("test_accuracy").asDouble()
                - dense.get("test_accuracy").asDouble();
        assertEquals(0, 100 * difference, 0.3, "points of held-out accuracy");
        assertTrue(dense.get("test_accuracy").asDouble() > 0.98);
    }

    @Test
    void theFilterSendsAFiftiethOfPushPullAndAQuarterOfTheNonZeros() {
        assertTrue(LrRun.moved(filtered) * 50 <= LrRun.moved(dense), LrRun.moved(filtered) + " bytes");
        assertTrue(LrRun.moved(filtered) * 4 <= LrRun.moved(exact), LrRun.moved(filtered) + " bytes");
    }

    @Test
    void theComputedBytesOfPushPullAreTheSentOnes() {
        for (JsonNode report : new JsonNode[] {filtered, exact, dense}) {
            assertEquals(
                    1, (double) LrRun.moved(dense) / report.get("dense_bytes").asLong(), 0.03);
        }
    }

    /** At 1 % kept, an index takes 8.1 bits packed, not 16, besides 32 bits of value: 40.1 / 48 = 0.84, and headers. */
    @Test
    void riceCodedDeltasSaveASixthOfPlainIndices() {
        for (JsonNode report : new JsonNode[] {filtered, exact, dense}) {
            assertEquals(
                    0.85,
                    (double) LrRun.moved(exact) / report.get("exact_bytes").asLong(),
                    0.03);
        }
    }

    @Test
    void theExactUpdatesMeetTheReference() {
        assertEquals(LrRun.hash(LrRun.report("--reference")), LrRun.hash(exact));
    }
}
