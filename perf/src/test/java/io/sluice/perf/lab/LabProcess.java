package io.sluice.perf.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sluice.perf.JvmFlags;
import io.sluice.perf.Perf;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code sluice lab} in a process of its own. */
final class LabProcess implements AutoCloseable {
    private static final int PATIENCE_S = 120;
    private static final int SIGINT_BIT = 1 << 1;
    private static final int HEAP_MB = 256;

    private final Process process;
    private final BufferedReader lines;
    private final StringBuilder said = new StringBuilder();

    LabProcess(Object... arguments) throws IOException {
        List<String> command = JvmFlags.node(HEAP_MB);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Perf.class.getName(), "lab"));
        for (Object argument : arguments) {
            command.add(String.valueOf(argument));
        }
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        lines = process.inputReader();
    }

    /** Reads on until a line contains a string. */
    String await(String text) throws IOException {
        String line = lines.readLine();
        while (line != null) {
            said.append(line).append('\n');
            if (line.contains(text)) {
                return line;
            }
            line = lines.readLine();
        }
        throw new AssertionError("it has not said '" + text + "' but: " + said);
    }

    /** All of its output; waits for its end. */
    String said() throws IOException {
        lines.lines().forEach(line -> said.append(line).append('\n'));
        return said.toString();
    }

    /** Sends a signal. Skips the rest of the test if the process ignores SIGINT. */
    void signal(String name) throws IOException, InterruptedException {
        assumeFalse(
                "INT".equals(name) && ignoresInterrupts(),
                "it ignores SIGINT, as do all descendants of a background process of a shell");
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    private boolean ignoresInterrupts() throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGINT_BIT) != 0);
    }

    int exitCode() throws InterruptedException {
        assertTrue(process.waitFor(PATIENCE_S, TimeUnit.SECONDS), () -> "it does not end; it said: " + said);
        return process.exitValue();
    }

    /** Returns the network namespaces of this process's labs. */
    List<String> namespaces() {
        return NetworkNamespaces.names().stream()
                .filter(name -> name.startsWith("sluicelab-" + process.pid() + "-"))
                .toList();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
