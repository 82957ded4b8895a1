package io.sluice.peers;

import io.sluice.perf.UnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A run of our MPI program, which is told line by line to go on. For one thread. */
final class MpiRun implements AutoCloseable {
    private static final long PATIENCE_S = 180;
    private static final String READY = "ready";
    private static final String TOOK = "took ";

    private final Process process;
    private final PrintWriter in;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Thread reader;
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
        process = builder.redirectErrorStream(true).start();
        in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        reader = Thread.ofPlatform().daemon().name("mpirun").start(this::read);
    }

    private void read() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            out.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            // As good as an end.
        }
        lines.add("");
    }

    /** Waits until all ranks are there, and one of them has prepared the next broadcast. */
    void awaitReady() throws InterruptedException {
        await(READY);
    }

    /** Broadcasts once. */
    Took broadcast() throws InterruptedException {
        in.println("go");
        String[] figures = await(TOOK).substring(TOOK.length()).split(" ");
        return new Took(Double.parseDouble(figures[0]), Double.parseDouble(figures[1]));
    }

    /** Has it prepare the next broadcast, or end and check its sum. */
    void goOn() {
        in.println("on");
    }

    /** Waits for its end. */
    void awaitEnd() throws InterruptedException {
        if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
            reader.join();
            lines.forEach(this::complain);
            throw failure();
        }
    }

    /** Other lines are complaints, or warnings that do no harm. */
    private String await(String word) throws InterruptedException {
        String line = lines.poll(PATIENCE_S, TimeUnit.SECONDS);
        while (line != null && !line.startsWith(word)) {
            if (line.isEmpty() && !process.isAlive()) {
                throw failure();
            }
            complain(line);
            line = lines.poll(PATIENCE_S, TimeUnit.SECONDS);
        }
        if (line == null) {
            throw new UnavailableException("Open MPI has said nothing for " + PATIENCE_S + " s");
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
        process.destroy();
        try {
            process.waitFor(PATIENCE_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
