package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lost datagrams cost time, but no update, with short logs that wrap many times. */
@Tag("slow")
@Timeout(300)
class LossyNetworkTest {
    private static final int TERM = 1 << 18;
    private static final int WORKERS = 2;
    private static final int SERVERS = 2;

    private static JsonNode report(Object... options) {
        Cli cli = Cli.plain().withJvmOptions("-Dsluice.ipc.term.length=" + TERM, "-Dsluice.udp.term.length=" + TERM);
        Object[] all = {
            "--workers", WORKERS, "--servers", SERVERS, "--features", 1 << 17, "--slice", 4_000, "--clocks", 60
        };
        Object[] joined = new Object[all.length + options.length];
        System.arraycopy(all, 0, joined, 0, all.length);
        System.arraycopy(options, 0, joined, all.length, options.length);
        return LrRun.report(cli, joined);
    }

    private static double rounds(JsonNode report) {
        return (double) LrRun.moved(report) / (2 * WORKERS * SERVERS) / (3 * TERM);
    }

    @Test
    void theReferenceIsMet() {
        requireReference("udp", 0.02);
    }

    @ParameterizedTest
    @Tag("trial")
    @CsvSource({"ipc, 0", "udp, 0.1"})
    void theReferenceIsMetAnywhere(String transport, double loss) {
        requireReference(transport, loss);
    }

    private static void requireReference(String transport, double loss) {
        JsonNode reference = report("--reference");
        JsonNode report = report("--filter", "none", "--transport", transport, "--loss", loss);
        assertEquals(LrRun.hash(reference), LrRun.hash(report));
        assertEquals(0, report.get("frames_rejected").asLong());
        assertTrue(rounds(report) > 1, () -> "logs wrapped around " + rounds(report) + " times");
    }

    @ParameterizedTest
    @Tag("trial")
    @CsvSource({"bsp, 0", "ssp:3, 3"})
    void densePushPullAgreesAndIsNoStalerThanAllowed(String consistency, long bound) {
        JsonNode report = report(
                "--protocol",
                "push-pull",
                "--transport",
                "udp",
                "--loss",
                0.02,
                "--consistency",
                consistency,
                "--compress",
                "none"); // otherwise the logs would not wrap around ten times
        assertTrue(report.get("replicas_identical").asBoolean());
        assertTrue(report.get("max_staleness").asLong() <= bound, report::toPrettyString);
        assertEquals(1, report.get("kept_fraction").asDouble());
        assertTrue(rounds(report) > 10, () -> "logs wrapped around " + rounds(report) + " times");
    }

    @Test
    void theFilterKeepsBackNoMoreThanItsThreshold() {
        requireBounds("ssp:3", 3);
    }

    @ParameterizedTest
    @Tag("trial")
    @CsvSource({"bsp, 0", "tap, 60"})
    void theFilterKeepsBackNoMoreUnderOtherRules(String consistency, long bound) {
        requireBounds(consistency, bound);
    }

    private static void requireBounds(String consistency, long bound) {
        JsonNode report = report("--transport", "udp", "--loss", 0.02, "--consistency", consistency);
        assertTrue(report.get("replicas_identical").asBoolean());
        assertTrue(report.get("max_staleness").asLong() <= bound, report::toPrettyString);
        assertTrue(
                report.get("residual_max_abs").asDouble()
                        <= report.get("last_threshold").asDouble(),
                report::toPrettyString);
    }
}
