package io.sluice.perf.nodes;

import io.sluice.console.UnavailableException;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.JvmFlags;
import io.sluice.perf.lab.Host;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A separate JVM for a node of an experiment, which runs one {@link NodeTask} after another. */
public final class NodeProcess implements AutoCloseable {
    private static final String ENDED = "";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name;
    private final ChildProcess process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private volatile String complaint = "";

    /** Waits for an answer. */
    @FunctionalInterface
    public interface Answer<T> {
        /**
         * Waits for the answer; answers arrive in the order of their tasks.
         *
         * @throws UnavailableException if the task fails, or its process ends or is silent
         */
        T await(long seconds) throws InterruptedException;
    }

    private NodeProcess(String name, ProcessBuilder builder) throws IOException {
        this.name = name;
        process = new ChildProcess(name, builder, lines::add, this::complain, () -> lines.add(ENDED));
    }

    /** Keeps the first line on standard error, except the warning that every JVM with an incubator module prints. */
    private void complain(String line) {
        if (complaint.isEmpty() && !line.startsWith("WARNING: ")) {
            complaint = ": " + line;
        }
    }

    /** Starts a process on the same host as this one. */
    public static NodeProcess local(String name, int heapMb, List<String> flags) throws IOException {
        return new NodeProcess(name, new ProcessBuilder(command(heapMb, flags)));
    }

    /** Starts a process on a host of a lab, with which it ends. */
    public static NodeProcess on(Host host, int heapMb) throws IOException {
        return new NodeProcess("the node on " + host.link().name(), host.process(command(heapMb, List.of())));
    }

    private static List<String> command(int heapMb, List<String> flags) {
        List<String> command = JvmFlags.node(heapMb);
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), NodeLoop.class.getName()));
        return command;
    }

    /** Launches a media driver in a node's JVM, which ends with that process; answers with its directory. */
    public record LaunchDriver(String directory) implements NodeTask<String> {
        @Override
        public String run() {
            return Driver.launch(
                            new Driver.Context().directory(Path.of(directory)).closeOnShutdown(true))
                    .directory()
                    .toString();
        }
    }

    /** Queues a task after the earlier ones. */
    @SuppressWarnings("unchecked") // the node answers with the result of the task
    public <T extends Serializable> Answer<T> order(NodeTask<T> task) {
        process.send(NodeLoop.word(task)); // if the process cannot read the task, waiting for the answer throws
        return seconds -> {
            String line = awaitLine(seconds);
            try {
                return (T) NodeLoop.object(line.substring(NodeLoop.DONE.length()));
            } catch (IOException | ClassNotFoundException e) {
                throw new IllegalStateException(name + " answers with an unreadable line: " + e.getMessage(), e);
            }
        };
    }

    private String awaitLine(long seconds) throws InterruptedException {
        String line = lines.poll(seconds, TimeUnit.SECONDS);
        if (line == null) {
            throw new UnavailableException(name + " has been silent for " + seconds + " s");
        }
        if (line.equals(ENDED)) {
            process.await(PATIENCE);
            process.awaitLines(PATIENCE);
            throw new UnavailableException(name + " has ended" + complaint);
        }
        if (line.startsWith(NodeLoop.FAILED)) {
            throw new UnavailableException(name + " failed: " + line.substring(NodeLoop.FAILED.length()));
        }
        return line;
    }

    /** Kills the process (-9), and waits until it has ended. */
    public void kill() throws InterruptedException {
        process.kill();
        process.await(PATIENCE);
    }

    /** Ends its standard input, waits until it has ended, and kills it after 30 s. */
    @Override
    public void close() {
        process.end(false, PATIENCE);
    }
}
