package io.sluice.spark.lr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The command line of {@code sluice spark}; {@link ExecutorJobTest} has its jobs. */
class SparkLrTest {
    /** Runs a command that fails, and returns what it prints. */
    private static String complaint(int code, String... arguments) throws IOException {
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            assertEquals(code, SparkLr.run(arguments));
        } finally {
            System.setErr(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void mistakesAreNamedInOneLine() throws IOException {
        assertEquals(
                "sluice: clocks is 0, expected 1 or more" + System.lineSeparator(),
                complaint(ExitCode.USAGE, "--clocks", "0"));
        assertEquals(
                "sluice: --restore is given without --snapshots, expected the folder DIR too" + System.lineSeparator(),
                complaint(ExitCode.USAGE, "--restore"));
        String unknown = complaint(ExitCode.USAGE, "--worker", "3");
        assertTrue(unknown.startsWith("sluice: unknown option '--worker'; did you mean --workers?"), unknown);
    }
}
