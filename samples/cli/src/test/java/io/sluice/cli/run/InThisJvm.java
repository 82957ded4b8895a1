package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.Sluice;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Runs commands in the JVM of the test, without the second that a JVM of their own takes. */
final class InThisJvm {
    private InThisJvm() {}

    /**
     * Fails unless a command ends with a code and a single line on standard error, perhaps below a progress bar; returns
     * the line. It takes over standard error, so its users are isolated.
     */
    static String refusal(int code, Object... words) {
        PrintStream console = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try {
            System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
            int ended = Sluice.run(Arrays.stream(words).map(String::valueOf).toArray(String[]::new));
            assertEquals(code, ended, () -> err.toString(StandardCharsets.UTF_8));
        } finally {
            System.setErr(console);
        }
        List<String> lines = CliRun.complaints(err.toString(StandardCharsets.UTF_8));
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().startsWith("sluice: "), lines::toString);
        return lines.getFirst();
    }
}
