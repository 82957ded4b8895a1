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
 * One process of a cluster: what it reports as JSON lines, what it complains of, and what can be done to it. Ends with
 * its standard input, and so with this process. Safe from any thread.
 */
final class ClusterProcess {
    private static final String COMPLAINT = "sluice: ";

    /** What a stack trace begins with, on its first line: of those behind it none counts. */
    private static final Pattern TRACE = Pattern.compile("Exception in thread .*|\\S*(Exception|Error)\\b.*");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The exit code of whom a signal has ended is this and the signal's number. */
    private static final int OF_SIGNALS = 128;

    private final String name;
    private final int host;
    private final ChildProcess process;
    private final Consumer<JsonNode> events;
    private final Consumer<String> complaints;
    private volatile String lastComplaint = "";

    /** Or asked by us to end. */
    private volatile boolean killed;

    private volatile boolean stopped;
    private volatile int traces;

    /**
     * Starts it.
     *
     * @param name for people
     * @param host on which it is
     * @param builder of the process
     * @param events hears what it reports, on a thread of its own
     * @param complaints hears what it says on standard error, likewise
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
                complaints.accept(name + " reported what is no JSON: " + line);
            }
        } else if (!line.isBlank()) {
            events.accept(JSON.createObjectNode().put("event", "line").put("text", line));
        }
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by its reader's thread alone
    private void onErrorLine(String line) {
        if (line.startsWith(COMPLAINT)) {
            lastComplaint = line.substring(COMPLAINT.length());
            complaints.accept(name + ": " + lastComplaint);
        } else if (!line.startsWith("WARNING:") && !line.isBlank()) {
            traces += TRACE.matcher(line).matches() ? 1 : 0;
            complaints.accept(name + " said: " + line);
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

    /** Whether it has ended without having been killed by us, and well. */
    boolean isDone() {
        return !process.isAlive() && process.exitValue() == 0;
    }

    /** Whether it has ended badly, not by our doing, and has not said on standard error why, or could not: a signal. */
    boolean isUnexplained() {
        if (process.isAlive() || killed || process.exitValue() == 0) {
            return false;
        }
        return lastComplaint.isEmpty() || process.exitValue() > OF_SIGNALS;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Exceptions that it let escape onto standard error. */
    int traces() {
        return traces;
    }

    /** How it ended, in words. */
    String ending() {
        return name + " ended with " + process.exitValue() + (lastComplaint.isEmpty() ? "" : ": " + lastComplaint);
    }

    /** As {@code kill -9} does. */
    void kill() {
        killed = true;
        process.kill();
    }

    /** Asks it to go in form, as the job goes on without it; no more than that if it has ended this moment. */
    void askToGo() {
        if (!process.send("go")) {
            complaints.accept(name + " hears nothing any more");
        }
    }

    /** Has it stand still. */
    void stop() {
        stopped = true;
        process.signal("STOP");
    }

    /** Lets it go on. */
    void goOn() {
        stopped = false;
        process.signal("CONT");
    }

    /** Has its JVM print, among what it reports, what all its threads are at; a JVM that is ending prints nothing. */
    void printThreads() {
        process.signal("QUIT");
    }

    /** Waits until all its output is read; only for one that has ended. */
    void awaitOutput() throws InterruptedException {
        process.awaitLines(PATIENCE);
    }

    /** Ends it, by asking first. */
    void end() {
        if (stopped) {
            goOn();
        }
        if (process.isAlive()) {
            killed = true;
        }
        // By the end of its input it knows that the signal is for the whole job, and leaves in order.
        process.end(true, PATIENCE);
    }
}
