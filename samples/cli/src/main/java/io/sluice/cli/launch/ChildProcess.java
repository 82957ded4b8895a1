package io.sluice.cli.launch;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One node of the cluster in a JVM of its own. Its standard input is held open: the child ends when it closes, so that
 * no child outlives this process, however that ends.
 */
final class ChildProcess {
    private static final long PATIENCE_SECONDS = 5;
    /** Exit codes above are of processes that a signal has ended, by its number. */
    private static final int KILLED = 128;

    /** Exit codes of SIGHUP, SIGINT and SIGTERM. */
    private static final Set<Integer> ASKED_TO_END = Set.of(KILLED + 1, KILLED + 2, KILLED + 15);

    private static final String OWN_LINE = "sluice: ";

    private final String name;
    private final Process process;
    private final Thread outReader;
    private final Thread errReader;
    private volatile String firstError = "";
    private volatile String ownError = "";

    private ChildProcess(String name, Process process, Consumer<String> lines) {
        this.name = name;
        this.process = process;
        this.outReader = reader(name + " out", process.getInputStream(), lines);
        this.errReader = reader(name + " err", process.getErrorStream(), this::onErrorLine);
    }

    /**
     * Starts a child that runs a command of the command line with this JVM's Java, class path and flags.
     *
     * @param name what to call it
     * @param arguments the command
     * @param jvmOptions more flags
     * @param lines receives each line of its standard output, on a thread of its own
     */
    static ChildProcess start(String name, List<String> arguments, List<String> jvmOptions, Consumer<String> lines)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.sluice.cli.Sluice"));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .directory(new File(System.getProperty("user.dir")))
                .start();
        return new ChildProcess(name, process, lines);
    }

    String name() {
        return name;
    }

    CompletableFuture<Process> onExit() {
        return process.onExit();
    }

    /** Waits until all its output is read. */
    void awaitOutput() throws InterruptedException {
        outReader.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        errReader.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    }

    int exitValue() {
        return process.exitValue();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether it was asked to end, as by Ctrl-C or {@code kill}. */
    boolean wasAskedToEnd() {
        return ASKED_TO_END.contains(exitValue());
    }

    /** Whether a signal has ended it. */
    boolean isKilled() {
        return exitValue() > KILLED;
    }

    /** How it ended: its own words, or the signal or exit code. */
    String ending() {
        int code = exitValue();
        String said = error();
        String how = isKilled() ? "was ended by signal " + (code - KILLED) : "failed with exit code " + code;
        return said.isEmpty() || isKilled() ? name + " " + how : name + ": " + said;
    }

    /**
     * Why it failed, by its standard error: the last line of the form that the command writes, or else, of a stack
     * trace, the first line that is no warning of the JVM's own.
     */
    String error() {
        return ownError.isEmpty() ? firstError : ownError;
    }

    /** Requests its end by closing its standard input: the child then leaves in order, as the whole job ends. */
    void askToEnd() {
        try {
            process.getOutputStream().close();
        } catch (IOException _) {
            // there is nothing in it to flush: the child has closed its end
        }
        process.destroy();
    }

    /** Waits until it has ended, and makes it end if it takes too long. */
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

    private void onErrorLine(String line) {
        if (line.startsWith(OWN_LINE)) {
            ownError = line.substring(OWN_LINE.length());
        } else if (firstError.isEmpty() && !line.isBlank() && !line.startsWith("WARNING:")) {
            firstError = line;
        }
    }

    private static Thread reader(String name, InputStream stream, Consumer<String> lines) {
        return Thread.ofPlatform().daemon().name(name).start(() -> {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    lines.accept(line);
                }
            } catch (IOException e) {
                lines.accept(name + " is broken: " + e.getMessage()); // the exit code will tell why
            }
        });
    }
}
