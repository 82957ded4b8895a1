package io.sluice.perf.bandwidth;

import io.sluice.perf.JvmFlags;
import io.sluice.perf.lab.Host;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM on one of the hosts that is told what to do line by line, and answers with one line each. It ends when its
 * standard input closes, so none outlives this process.
 */
final class NodeProcess implements AutoCloseable {
    private static final long PATIENCE_S = 30;
    private static final int HEAP_MB = 256;

    private final String name;
    private final Process process;
    private final PrintWriter in;
    private final BufferedReader out;

    NodeProcess(Host host, Class<?> main, String... arguments) throws IOException {
        name = main.getSimpleName();
        List<String> command = JvmFlags.node(HEAP_MB);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        process = host.process(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Asks, and waits for the words of the answer. */
    String[] ask(String line) throws IOException {
        in.println(line);
        return answer();
    }

    /** The words of its next line. */
    String[] answer() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IllegalStateException("the JVM of " + name + " has ended");
        }
        return line.split(" ");
    }

    @Override
    public void close() {
        in.close();
        try {
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
