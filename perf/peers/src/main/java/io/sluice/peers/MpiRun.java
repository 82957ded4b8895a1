package io.sluice.peers;

import io.sluice.perf.UnavailableException;
import io.sluice.perf.nodes.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A run of our MPI program, which is told line by line to go on. For one thread. */
final class MpiRun implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final String READY = "ready";
    private static final String TOOK = "took ";

    private final ChildProcess process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private String complaint = "";

    /**
     * One broadcast.
     *
     * @param seconds    from when the first server began until the last worker had added the last byte
     * @param cpuSeconds of all ranks meanwhile
     */
    record Took(double seconds, double cpuSeconds) {}

    /** Starts one. */
    MpiRun(ProcessBuilder builder) throws IOException {
        process = new ChildProcess("mpirun", builder, lines::add, lines::add, () -> lines.add(""));
    }

    /** Waits until all ranks are there, and one of them has prepared the next broadcast. */
    void awaitReady() throws InterruptedException {
        await(READY);
    }

    /** Broadcasts once. */
    Took broadcast() throws InterruptedException {
        process.send("go");
        String[] figures = await(TOOK).substring(TOOK.length()).split(" ");
        return new Took(Double.parseDouble(figures[0]), Double.parseDouble(figures[1]));
    }

    /** Has it prepare the next broadcast, or end and check its sum. */
    void goOn() {
        process.send("on");
    }

    /** Waits for its end. */
    void awaitEnd() throws InterruptedException {
        if (!process.await(PATIENCE) || process.exitValue() != 0) {
            process.awaitLines(PATIENCE);
            lines.forEach(this::complain);
            throw failure();
        }
    }

    /** Other lines are complaints, or warnings that do no harm. */
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
            throw new UnavailableException("Open MPI has said nothing for " + PATIENCE.toSeconds() + " s");
        }
        return line;
    }

    /** The first sentence that is none of the frames around messages. */
    private void complain(String line) {
        if (complaint.isEmpty() && line.chars().anyMatch(Character::isLetter)) {
            complaint = line.strip();
        }
    }

    private UnavailableException failure() {
        return new UnavailableException("Open MPI has ended" + (complaint.isEmpty() ? "" : ": " + complaint));
    }

    /** Ends it, and all its ranks. */
    @Override
    public void close() {
        process.end(true, PATIENCE);
    }
}
