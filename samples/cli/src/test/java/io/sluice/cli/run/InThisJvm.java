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
     * Returns the single line that a command writes to standard error, perhaps below a progress bar. Fails if it writes
     * another number of lines, or ends with another code. The users of this method are isolated, because it takes over
     * standard error.
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
