package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cluster of processes against the single process that does the same arithmetic. */
@Timeout(400)
class ReferenceTest {
    private static final Object[] TRAINING = {"--clocks", 12, "--features", 1 << 16, "--batch", 32};

    private static Object[] with(Object... options) {
        Object[] all = new Object[TRAINING.length + options.length];
        System.arraycopy(TRAINING, 0, all, 0, TRAINING.length);
        System.arraycopy(options, 0, all, TRAINING.length, options.length);
        return all;
    }

    @Test
    void isMetBitForBitAndTwiceInARow() {
        String reference = LrRun.hash(LrRun.report(with("--workers", 2, "--reference")));
        Object[] job = with("--workers", 2, "--servers", 2, "--filter", "none", "--consistency", "bsp");
        assertEquals(reference, LrRun.hash(LrRun.report(job)));
        assertEquals(reference, LrRun.hash(LrRun.report(job)));
    }

    /** Steps within a clock see the same parameters and are pushed as their sum. */
    @Test
    @Tag("slow")
    void isMetWithSeveralBatchesInAClock() {
        String reference = LrRun.hash(LrRun.report(with("--workers", 2, "--batches", 3, "--reference")));
        Object[] job = with("--workers", 2, "--servers", 2, "--batches", 3, "--filter", "none");
        assertEquals(reference, LrRun.hash(LrRun.report(job)));
    }

    @ParameterizedTest
    @Tag("trial")
    @CsvSource({
        "1, 1, uniform, ipc",
        "4, 3, uniform, udp",
        "1, 4, round-robin, udp",
        "3, 2, largest-first, ipc",
        "6, 1, round-robin, ipc"
    })
    void isMetByAnyNumberOfProcesses(int workers, int servers, String placement, String transport) {
        requireReference(workers, servers, placement, transport);
    }

    private static void requireReference(int workers, int servers, String placement, String transport) {
        JsonNode reference = LrRun.report(with("--workers", workers, "--reference"));
        JsonNode report = LrRun.report(with(
                "--workers",
                workers,
                "--servers",
                servers,
                "--filter",
                "none",
                "--placement",
                placement,
                "--transport",
                transport));
        assertEquals(LrRun.hash(reference), LrRun.hash(report));
        assertEquals(reference.get("final_loss"), report.get("final_loss"));
        assertEquals(reference.get("test_accuracy"), report.get("test_accuracy"));
        assertTrue(report.get("replicas_identical").asBoolean());
        assertEquals(0, report.get("residual_max_abs").asDouble());
        assertEquals(0, report.get("max_staleness").asLong());
    }
}
