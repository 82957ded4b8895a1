package io.sluice.peers;

import io.sluice.console.UnavailableException;
import io.sluice.perf.nodes.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A run of the MPI program, which reads commands line by line. Not thread-safe. */
final class MpiRun implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final String READY = "ready";
    private static final String TOOK = "took ";

    private final ChildProcess process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private String complaint = "";

    /**
     * The time of one broadcast.
     *
     * @param seconds    seconds from the start of the first server until the last worker has added the last byte
     * @param cpuSeconds processor time of all ranks in that time
     */
    record Took(double seconds, double cpuSeconds) {}

    /** Starts a run. */
    MpiRun(ProcessBuilder builder) throws IOException {
        process = new ChildProcess("mpirun", builder, lines::add, lines::add, () -> lines.add(""));
    }

    /** Waits until all ranks run and the next broadcast is prepared. */
    void awaitReady() throws InterruptedException {
        await(READY);
    }

    /** Broadcasts once. */
    Took broadcast() throws InterruptedException {
        process.send("go");
        String[] figures = await(TOOK).substring(TOOK.length()).split(" ");
        return new Took(Double.parseDouble(figures[0]), Double.parseDouble(figures[1]));
    }

    /** Makes the program prepare the next broadcast, or end and check its sum. */
    void goOn() {
        process.send("on");
    }

    /** Waits for the end of the program. */
    void awaitEnd() throws InterruptedException {
        if (!process.await(PATIENCE) || process.exitValue() != 0) {
            process.awaitLines(PATIENCE);
            lines.forEach(this::complain);
            throw failure();
        }
    }

    /** Reads lines until one begins with a prefix; other lines are error messages or harmless warnings. */
    private String await(String word) throws InterruptedException {
        String line = lines.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        while (line != null && !line.startsWith(word)) {
            if (line.isEmpty() && !process.isAlive()) {
                throw failure();
            }
            complain(line);
            line = lines.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        if (line == null) {
            throw new UnavailableException("Open MPI has printed nothing for " + PATIENCE.toSeconds() + " s");
        }
        return line;
    }

    /** Records the first sentence that is not part of the frame around a message. */
    private void complain(String line) {
        if (complaint.isEmpty() && line.chars().anyMatch(Character::isLetter)) {
            complaint = line.strip();
        }
    }

    private UnavailableException failure() {
        return new UnavailableException("Open MPI has ended" + (complaint.isEmpty() ? "" : ": " + complaint));
    }

    /** Ends the program and all its ranks. */
    @Override
    public void close() {
        process.end(true, PATIENCE);
    }
}
