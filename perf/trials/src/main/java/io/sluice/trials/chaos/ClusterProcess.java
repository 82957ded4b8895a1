package io.sluice.trials.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.perf.nodes.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * One process of a cluster: its reports (JSON lines), its messages on standard error, and the signals that it can
 * receive. The process ends when its standard input closes, so it never outlives this JVM. Thread-safe.
 */
final class ClusterProcess {
    private static final String COMPLAINT = "sluice: ";

    /** The first line of a stack trace; the lines after it do not count. */
    private static final Pattern TRACE = Pattern.compile("Exception in thread .*|\\S*(Exception|Error)\\b.*");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Exit code of a process that a signal has ended, less the signal's number. */
    private static final int OF_SIGNALS = 128;

    private final String name;
    private final int host;
    private final ChildProcess process;
    private final Consumer<JsonNode> events;
    private final Consumer<String> complaints;
    private volatile String lastComplaint = "";

    /** Whether the trial has killed the process or requested its end. */
    private volatile boolean killed;

    private volatile boolean stopped;
    private volatile int traces;

    /**
     * Starts the process.
     *
     * @param name name for log lines
     * @param host host on which it runs
     * @param builder builder of the process
     * @param events receives its reports, on a thread of its own
     * @param complaints receives its lines of standard error, on a thread of its own
     */
    ClusterProcess(
            String name, int host, ProcessBuilder builder, Consumer<JsonNode> events, Consumer<String> complaints)
            throws IOException {
        this.name = name;
        this.host = host;
        this.events = events;
        this.complaints = complaints;
        process = new ChildProcess(name, builder, this::onLine, this::onErrorLine, () -> {});
    }

    private void onLine(String line) {
        if (line.startsWith("{")) {
            try {
                events.accept(JSON.readTree(line));
            } catch (JsonProcessingException e) {
                complaints.accept(name + " reports invalid JSON: " + line);
            }
        } else if (!line.isBlank()) {
            events.accept(JSON.createObjectNode().put("event", "line").put("text", line));
        }
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // only the reader's thread writes
    private void onErrorLine(String line) {
        if (line.startsWith(COMPLAINT)) {
            lastComplaint = line.substring(COMPLAINT.length());
            complaints.accept(name + ": " + lastComplaint);
        } else if (!line.startsWith("WARNING:") && !line.isBlank()) {
            traces += TRACE.matcher(line).matches() ? 1 : 0;
            complaints.accept(name + " prints on standard error: " + line);
        }
    }

    String name() {
        return name;
    }

    int host() {
        return host;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether the process has ended with exit code 0. */
    boolean isDone() {
        return !process.isAlive() && process.exitValue() == 0;
    }

    /**
     * Whether the process failed, was not killed by the trial, and wrote no message to standard error or died of a
     * signal.
     */
    boolean isUnexplained() {
        if (process.isAlive() || killed || process.exitValue() == 0) {
            return false;
        }
        return lastComplaint.isEmpty() || process.exitValue() > OF_SIGNALS;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Number of stack traces on its standard error. */
    int traces() {
        return traces;
    }

    /** The exit code and the last message. */
    String ending() {
        return name + " ended with exit code " + process.exitValue()
                + (lastComplaint.isEmpty() ? "" : ": " + lastComplaint);
    }

    /** Kills the process, as {@code kill -9} does. */
    void kill() {
        killed = true;
        process.kill();
    }

    /** Requests the node to leave the job. Has no effect on a process that has just ended. */
    void requestLeave() {
        if (!process.send("leave")) {
            complaints.accept(name + " has closed its standard input");
        }
    }

    /** Stops the process (SIGSTOP). */
    void stop() {
        stopped = true;
        process.signal("STOP");
    }

    /** Continues a stopped process (SIGCONT). */
    void resume() {
        stopped = false;
        process.signal("CONT");
    }

    /** Makes its JVM print a thread dump to standard output; a JVM that is shutting down prints none. */
    void printThreads() {
        process.signal("QUIT");
    }

    /** Waits until all its output is read; only for a process that has ended. */
    void awaitOutput() throws InterruptedException {
        process.awaitLines(PATIENCE);
    }

    /** Ends the process: requests its end, then kills it. */
    void end() {
        if (stopped) {
            resume();
        }
        if (process.isAlive()) {
            killed = true;
        }
        // A process whose standard input has closed takes the signal as the end of the whole job, and leaves in order.
        process.end(true, PATIENCE);
    }
}
