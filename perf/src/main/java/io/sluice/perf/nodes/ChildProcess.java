package io.sluice.perf.nodes;

import io.sluice.console.UnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A process that this one starts: its lines, signals and end. Safe from any thread. */
public final class ChildProcess {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Process process;
    private final Writer in;
    private final Thread outReader;
    private final Thread errorReader;

    /**
     * Starts the process.
     *
     * @param lines      receives each line on standard output
     * @param complaints receives each line on standard error
     * @param end        runs after the last line on standard output
     */
    public ChildProcess(
            String name, ProcessBuilder builder, Consumer<String> lines, Consumer<String> complaints, Runnable end)
            throws IOException {
        process = builder.start();
        in = process.outputWriter(StandardCharsets.UTF_8);
        outReader = reader(name, process.inputReader(StandardCharsets.UTF_8), lines, end);
        errorReader = reader(name, process.errorReader(StandardCharsets.UTF_8), complaints, () -> {});
    }

    private static Thread reader(String name, BufferedReader stream, Consumer<String> lines, Runnable end) {
        return Thread.ofPlatform().daemon().name(name + " reader").start(() -> {
            try (stream) {
                stream.lines().forEach(lines);
            } catch (IOException | UncheckedIOException e) {
                // Counts as the end: the exit code has the reason.
            }
            end.run();
        });
    }

    /** The process id. */
    public long pid() {
        return process.pid();
    }

    /** Whether the process is running. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** The exit code; only for a process that has ended. */
    public int exitValue() {
        return process.exitValue();
    }

    /**
     * Writes a line to its standard input.
     *
     * @return whether the process still reads its standard input
     */
    public synchronized boolean send(String line) {
        try {
            in.write(line + "\n");
            in.flush();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends its standard input. */
    public void closeInput() {
        try {
            in.close();
        } catch (IOException e) {
            // The process has closed its end.
        }
    }

    /**
     * Sends a signal.
     *
     * @param signal such as {@code STOP}
     */
    public void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start();
            if (!kill.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new UnavailableException("kill -" + signal + " does not end");
            }
        } catch (IOException e) {
            throw new UnavailableException("there is no command kill: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills the process as {@code kill -9} does, without waiting. */
    public void kill() {
        process.destroyForcibly();
    }

    /**
     * Waits until the process has ended.
     *
     * @return whether it has ended
     */
    public boolean await(Duration patience) throws InterruptedException {
        return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs an action when the process has ended. */
    public void onEnd(Runnable action) {
        process.onExit().thenRun(action);
    }

    /** Waits until all its lines are read; they end with the process and with those that it has started. */
    public void awaitLines(Duration patience) throws InterruptedException {
        outReader.join(patience);
        errorReader.join(patience);
    }

    /**
     * Ends its standard input, and waits until it has ended; kills it after a while.
     *
     * @param asking whether a signal also asks it to end
     */
    public void end(boolean asking, Duration patience) {
        closeInput();
        if (asking) {
            process.destroy();
        }
        try {
            if (!await(patience)) {
                kill();
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
    }
}
