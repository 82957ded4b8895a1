package io.sluice.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** One run of the command line: its output, its end, and what it must not leave behind. */
final class CliRun implements AutoCloseable {
    /** Limit for steps that take seconds on an idle machine; the machine may be busy. */
    static final Duration PATIENCE = Duration.ofSeconds(150);

    private static final int SIGINT_BIT = 1 << 1;
    private static final Duration CLEAN_UP = Duration.ofSeconds(30);

    /** Interval at which a wait lists the children: that reads the state of every process of the machine. */
    private static final long NOTE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String command;
    private final Process process;
    private final StringBuffer out = new StringBuffer();
    private final StringBuffer err = new StringBuffer();
    private final Thread outReader;
    private final Thread errReader;
    private final Set<ProcessHandle> family = ConcurrentHashMap.newKeySet();
    private long notedNs = System.nanoTime() - NOTE_NS;

    CliRun(String command, Process process) {
        this.command = command;
        this.process = process;
        outReader = reader(process.inputReader(StandardCharsets.UTF_8), out);
        errReader = reader(process.errorReader(StandardCharsets.UTF_8), err);
    }

    private static Thread reader(BufferedReader stream, StringBuffer into) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int next = stream.read(); next >= 0; next = stream.read()) {
                    into.append((char) next);
                }
            } catch (IOException e) {
                into.append("(broken: ").append(e.getMessage()).append(')');
            }
        });
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String out() {
        return out.toString();
    }

    /** Standard error without the JVM's own warnings. */
    String err() {
        return Arrays.stream(err.toString().split("\n"))
                .filter(line -> !line.startsWith("WARNING:"))
                .collect(Collectors.joining("\n"));
    }

    /** Error messages: standard error without JVM warnings and the progress bar. */
    List<String> complaints() {
        return complaints(err());
    }

    /** The lines of a text on standard error that are not of the progress bar. */
    static List<String> complaints(String err) {
        return Arrays.stream(err.split("[\r\n]+"))
                .filter(line -> !line.isBlank() && !line.startsWith("clock "))
                .toList();
    }

    /** Waits for the end, and for all output to be read. */
    int exitCode() {
        return exitCode(PATIENCE);
    }

    int exitCode(Duration within) {
        Until.isSo(within, this::hasEnded, () -> "the end of " + this);
        try {
            outReader.join(TimeUnit.SECONDS.toMillis(30));
            errReader.join(TimeUnit.SECONDS.toMillis(30));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return process.exitValue();
    }

    private boolean hasEnded() {
        if (!process.isAlive()) {
            return true;
        }
        if (System.nanoTime() - notedNs > NOTE_NS) {
            noteFamily();
        }
        return false;
    }

    /** Waits for a text on standard output. */
    void awaitOut(String text) {
        Until.isSo(PATIENCE, () -> out().contains(text) || hasEnded(), () -> "'" + text + "' from " + this);
        assertTrue(out().contains(text), () -> "'" + text + "' from " + this);
    }

    /** Waits until training is under way: the progress bar shows a loss. */
    void awaitTraining() {
        Until.isSo(PATIENCE, () -> err().contains("loss ") || hasEnded(), () -> "training of " + this);
        assertTrue(isAlive(), () -> "it trains: " + this);
        noteFamily();
    }

    private void noteFamily() {
        process.descendants().forEach(family::add);
        notedNs = System.nanoTime();
    }

    /** The number of running processes that the command has started. */
    long children() {
        noteFamily();
        return family.stream().filter(ProcessHandle::isAlive).count();
    }

    /** The child process whose command line holds these words, one after the other. */
    ProcessHandle child(String words) {
        return findChild(words, Set.of()).orElseThrow(() -> new AssertionError("no child '" + words + "' of " + this));
    }

    /** Like {@link #child}, for one that is not among those {@linkplain #processes() noted earlier}; waits for it. */
    ProcessHandle newChild(String words, Set<ProcessHandle> earlier) {
        Until.isSo(
                PATIENCE, () -> findChild(words, earlier).isPresent(), () -> "a new child '" + words + "' of " + this);
        return findChild(words, earlier)
                .orElseThrow(() -> new AssertionError("the child '" + words + "' has ended: " + this));
    }

    private Optional<ProcessHandle> findChild(String words, Set<ProcessHandle> earlier) {
        noteFamily();
        return family.stream()
                .filter(child -> child.isAlive() && !earlier.contains(child))
                .filter(child -> commandLine(child).contains(words))
                .findFirst();
    }

    /** All processes that it has started so far. */
    Set<ProcessHandle> processes() {
        noteFamily();
        return Set.copyOf(family);
    }

    /**
     * The words of a command, one blank between two; empty if the process is over. {@link ProcessHandle#info()} knows
     * none for a command of more than a memory page, and a class path in a deep directory makes it so long.
     */
    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(process.pid()), "cmdline"))
                    .replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }

    /** Sends SIGINT to this process alone. Skips the rest of the test if the process ignores SIGINT. */
    void interrupt() {
        try {
            assumeFalse(
                    ignoresInterrupts(), "it ignores SIGINT, as do all descendants of a background process of a shell");
            int sent = new ProcessBuilder("kill", "-INT", String.valueOf(pid()))
                    .start()
                    .waitFor();
            assertEquals(0, sent, "kill -INT");
        } catch (IOException e) {
            throw new AssertionError("no kill command", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean ignoresInterrupts() throws IOException {
        return Files.readAllLines(Path.of("/proc", String.valueOf(pid()), "status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGINT_BIT) != 0);
    }

    /** Kills the process, as {@code kill -9} does. */
    void kill() {
        noteFamily();
        process.destroyForcibly();
    }

    /** The directory in shared memory that a {@code train} of this process makes. */
    Path jobDirectory() {
        return Path.of("/dev/shm", "sluice-" + System.getProperty("user.name") + "-job-" + pid());
    }

    /** Fails if a process still runs, or the job's directory still exists, after a moment; returns milliseconds. */
    long assertNothingLeft() {
        return Until.isSo(
                CLEAN_UP,
                () -> family.stream().noneMatch(ProcessHandle::isAlive) && !Files.exists(jobDirectory()),
                () -> "left behind by " + this + ": "
                        + family.stream().filter(ProcessHandle::isAlive).toList() + ", " + jobDirectory() + " exists: "
                        + Files.exists(jobDirectory()));
    }

    /** Fails if one of its children still runs; returns milliseconds. */
    long assertFamilyEnds() {
        return Until.isSo(
                CLEAN_UP, () -> family.stream().noneMatch(ProcessHandle::isAlive), () -> "children of " + this);
    }

    /** Fails unless the run ended well and left nothing. */
    CliRun assertFine() {
        assertEquals(0, exitCode(), this::toString);
        assertNothingLeft();
        return this;
    }

    /** Fails unless the run ended with this code and a single line on standard error, and left nothing. */
    String assertRefused(int code) {
        assertEquals(code, exitCode(), this::toString);
        String line = assertOneLine();
        assertEquals(line, err().strip(), "nothing else on standard error");
        return line;
    }

    /** Fails unless the run ended badly with one sentence, perhaps below a progress bar, and left nothing. */
    String assertOneLine() {
        assertNotEquals(0, exitCode(), this::toString);
        assertEquals(1, complaints().size(), () -> "lines of " + this);
        String line = complaints().getFirst();
        assertTrue(line.startsWith("sluice: "), line);
        assertFalse(line.contains("internal error"), line);
        assertNothingLeft();
        return line;
    }

    /** Ends whatever still runs, with a chance to clean up. */
    @Override
    public void close() {
        noteFamily();
        process.destroy();
        Until.holds(CLEAN_UP, () -> !process.isAlive());
        process.destroyForcibly();
        family.forEach(ProcessHandle::destroyForcibly);
        process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Override
    public String toString() {
        return command + "\nexit: " + (isAlive() ? "runs" : process.exitValue()) + "\nout: " + out + "\nerr: " + err;
    }
}
