package io.sluice.perf.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.JvmFlags;
import io.sluice.perf.Perf;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code sluice lab} in a process of its own. */
final class LabProcess implements AutoCloseable {
    private static final int PATIENCE_S = 30;
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

    /** Reads on until a line contains a text. */
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

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    int exitCode() throws InterruptedException {
        assertTrue(process.waitFor(PATIENCE_S, TimeUnit.SECONDS), () -> "it does not end; it said: " + said);
        return process.exitValue();
    }

    /** Whatever of its labs there is. */
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
