package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A driver, one that starts, an inbox at a running driver, or one that only counts, in a JVM of its own, which a test
 * may kill.
 */
final class ChildProcess implements AutoCloseable {
    static final int COUNTERS = 20;

    private static final String READY = "ready";
    private static final String LOST = "lost";
    private static final String COUNTING = "counting";
    private static final String STARTING = "starting";

    private final Process process;

    private ChildProcess(boolean bell, String... arguments) throws IOException {
        String batches = "-Dsluice.udp.batch=" + new Driver.Context().udpBatch().text();
        List<String> flags = List.of(batches, "-Dsluice.driver.bell=" + bell);
        List<String> command = Subprocess.java(ChildProcess.class, flags, arguments);
        process = new ProcessBuilder(command).start();
        assertEquals(READY, process.inputReader(StandardCharsets.UTF_8).readLine());
    }

    /** Runs a driver in the directory. */
    static ChildProcess driver(Path directory) throws IOException {
        return new ChildProcess(new Driver.Context().bell(), directory.toString());
    }

    /** Runs a driver with a bell. */
    static ChildProcess driverWithBell(Path directory) throws IOException {
        return new ChildProcess(true, directory.toString());
    }

    /** Receives on the endpoint through the driver in the directory. */
    static ChildProcess inbox(Path directory, Endpoint endpoint) throws IOException {
        return new ChildProcess(new Driver.Context().bell(), directory.toString(), endpoint.toString());
    }

    /** Counts forever in {@link #COUNTERS} counters, even after its driver has dropped it as a client. */
    static ChildProcess counting(Path directory) throws IOException {
        return new ChildProcess(new Driver.Context().bell(), directory.toString(), COUNTING);
    }

    /** Starts a driver in the directory for ever, while a second thread waits to do the same. */
    static ChildProcess starting(Path directory) throws IOException {
        return new ChildProcess(false, directory.toString(), STARTING);
    }

    /** Waits until a process that counts has lost its driver, and has counted on for a while. */
    void awaitLost() throws IOException {
        assertEquals(LOST, process.inputReader(StandardCharsets.UTF_8).readLine());
    }

    /** Sends a signal, such as {@code STOP}. */
    void signal(String name) throws IOException {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(pid())).start();
        assertEquals(0, kill.onExit().join().exitValue());
    }

    long pid() {
        return process.pid();
    }

    /** Kills the process, as {@code kill -9} does; returns when it has ended. */
    void kill() {
        process.destroyForcibly();
        process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        kill();
    }

    public static void main(String[] args) {
        Path directory = Path.of(args[0]);
        if (args.length == 1) {
            Driver.launch(new Driver.Context().directory(directory));
        } else if (args[1].equals(STARTING)) {
            DriverStartLock.acquire(directory);
            Thread.ofPlatform().daemon().start(() -> DriverStartLock.acquire(directory));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        } else if (args[1].equals(COUNTING)) {
            count(Transport.connect(new Transport.Context().directory(directory)));
        } else {
            Transport.connect(new Transport.Context().directory(directory).channels(new Channels(Rig.shortTerms())))
                    .openUdpInbox(
                            "child",
                            Endpoint.parse(args[1]),
                            Rig.STREAM,
                            Frames.validator(),
                            (buffer, offset, length, template, session) -> FrameHandler.Action.CONTINUE);
        }
        System.out.println(READY);
        while (true) {
            LockSupport.park();
        }
    }

    private static void count(Transport transport) {
        List<SingleWriterCounter> counters = IntStream.range(0, COUNTERS)
                .mapToObj(i -> transport.counters().node("child " + i).counter(CounterType.NODE_CLOCK))
                .toList();
        System.out.println(READY);
        int left = 1_000;
        while (left > 0) {
            left -= transport.isClosed() ? 1 : 0;
            counters.forEach(SingleWriterCounter::increment);
            LockSupport.parkNanos(50_000);
        }
        System.out.println(LOST);
    }
}
