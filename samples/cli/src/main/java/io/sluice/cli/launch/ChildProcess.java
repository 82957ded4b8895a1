package io.sluice.cli.launch;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A node in a JVM of its own. This process keeps the child's standard input open. The child ends when it closes, so no
 * child outlives this process.
 */
final class ChildProcess extends Child {
    private final Process process;
    private final Thread outReader;
    private final Thread errReader;

    private ChildProcess(String name, Process process, Consumer<NodeEvent> events) {
        super(name);
        this.process = process;
        EventLines lines = new EventLines();
        this.outReader = reader(name + " out", "standard output of " + name, process.getInputStream(), line -> {
            NodeEvent event = lines.read(line);
            if (event != null) {
                events.accept(event);
            }
        });
        this.errReader =
                reader(name + " err", "standard error of " + name, process.getErrorStream(), this::onErrorLine);
    }

    /**
     * Starts a child process that runs a Sluice command with the Java executable and class path of this JVM, and JVM
     * options derived from its own.
     *
     * @param name name of the child
     * @param arguments the command
     * @param events receives its reports, on a thread of its own
     */
    static ChildProcess start(String name, List<String> arguments, Consumer<NodeEvent> events) throws IOException {
        List<String> own = ManagementFactory.getRuntimeMXBean().getInputArguments();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ChildJvmOptions.of(own));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.sluice.cli.Sluice"));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .directory(new File(System.getProperty("user.dir")))
                .start();
        return new ChildProcess(name, process, events);
    }

    @Override
    CompletableFuture<Process> onExit() {
        return process.onExit();
    }

    @Override
    void awaitOutput() throws InterruptedException {
        outReader.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        errReader.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    }

    @Override
    int exitValue() {
        return process.exitValue();
    }

    @Override
    boolean isAlive() {
        return process.isAlive();
    }

    /** Closes its standard input. */
    @Override
    void askToEnd() {
        try {
            process.getOutputStream().close();
        } catch (IOException _) {
            // there is nothing to flush: the child has closed its end
        }
        process.destroy();
    }

    @Override
    void awaitEnd() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static Thread reader(String name, String what, InputStream stream, Consumer<String> lines) {
        return Thread.ofPlatform().daemon().name(name).start(() -> {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    lines.accept(line);
                }
            } catch (IOException e) {
                lines.accept("cannot read the " + what + ": " + e.getMessage()); // the exit code has the reason
            }
        });
    }
}
