package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Slices are sent before their clock ends, between real processes. */
@Timeout(400)
class ManagedTest {
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "bsp,   magnitude,   none, udp",
        "ssp:2, round-robin, dvf,  ipc",
    })
    void replicasAreIdenticalThoughFramesAreSentEarly(
            String consistency, String order, String filter, String transport) {
        JsonNode report = LrRun.report(
                "--protocol",
                "managed",
                "--budget-rate",
                "200mbit",
                "--budget-burst",
                65_536,
                "--slice",
                4_096,
                "--order",
                order,
                "--consistency",
                consistency,
                "--filter",
                filter,
                "--transport",
                transport,
                "--workers",
                2,
                "--servers",
                2,
                "--clocks",
                12,
                "--batches",
                6,
                "--batch",
                32,
                "--features",
                1 << 16);
        assertTrue(report.get("replicas_identical").asBoolean());
        assertTrue(report.get("frames_early").asLong() > 0, "no frame was sent early");
        assertEquals(0, report.get("frames_rejected").asLong());
        assertEquals("managed", report.get("protocol").asText());
        assertTrue(report.get("final_loss").asDouble() < Math.log(2));
        boolean exact = "none".equals(filter);
        assertTrue(!exact || 0 == report.get("residual_max_abs").asDouble(), "all of it has arrived");
    }
}
