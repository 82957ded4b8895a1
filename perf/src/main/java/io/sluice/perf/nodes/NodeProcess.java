package io.sluice.perf.nodes;

import io.sluice.console.UnavailableException;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.JvmFlags;
import io.sluice.perf.lab.Host;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A JVM of its own for a node of an experiment, which runs one {@link NodeTask} after another. */
public final class NodeProcess implements AutoCloseable {
    private static final String ENDED = "";
    private static final long START_S = 60;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name;
    private final ChildProcess process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private volatile String complaint = "";

    /**
     * Waits for an answer.
     *
     * @param <T> the answer
     */
    @FunctionalInterface
    public interface Answer<T> {
        /**
         * Waits for the answer; answers arrive in the order of their tasks.
         *
         * @param seconds longest wait in seconds
         * @throws UnavailableException if the task fails, or its process ends or is silent
         * @throws InterruptedException if interrupted while waiting
         */
        T await(long seconds) throws InterruptedException;
    }

    private NodeProcess(String name, ProcessBuilder builder, boolean forwarding) throws IOException {
        this.name = name;
        process =
                new ChildProcess(name, builder, lines::add, line -> complain(line, forwarding), () -> lines.add(ENDED));
    }

    /** Keeps the first line on standard error, except the warning that every JVM with an incubator module prints. */
    private void complain(String line, boolean forwarding) {
        if (!line.startsWith("WARNING: ")) {
            complaint = complaint.isEmpty() ? ": " + line : complaint;
            if (forwarding) {
                System.err.println(line);
            }
        }
    }

    /**
     * Starts a process on a host of a lab, with which it ends; its messages on standard error are shown.
     *
     * @param host host of the process
     * @param heapMb maximum heap in MiB
     * @throws IOException if the process cannot be started
     */
    public static NodeProcess on(Host host, int heapMb) throws IOException {
        return new NodeProcess("the node on " + host.link().name(), host.process(command(heapMb, List.of())), true);
    }

    /**
     * Starts a process on each host, with a media driver, and waits until all are ready.
     *
     * @param hosts hosts of the processes
     * @param heapMb maximum heap in MiB
     * @param window window of the receivers of those drivers, in bytes; 0 for the default
     * @return a process for each host, in the order of the hosts
     * @throws IOException if the process cannot be started
     * @throws InterruptedException if interrupted while waiting
     */
    public static List<NodeProcess> onAll(List<Host> hosts, int heapMb, int window)
            throws IOException, InterruptedException {
        List<NodeProcess> nodes = new ArrayList<>();
        List<Answer<String>> answers = new ArrayList<>();
        for (Host host : hosts) {
            NodeProcess node = on(host, heapMb);
            nodes.add(node);
            answers.add(node.order(new LaunchDriver(driverOf(host).toString(), window)));
        }
        for (Answer<String> answer : answers) {
            answer.await(START_S);
        }
        return nodes;
    }

    /**
     * Starts a process on the same host as this one.
     *
     * @param name   name for messages
     * @param heapMb maximum heap in MiB
     * @param flags flags of its JVM, besides those of every JVM
     * @throws IOException if the process cannot be started
     */
    public static NodeProcess local(String name, int heapMb, List<String> flags) throws IOException {
        return new NodeProcess(name, new ProcessBuilder(command(heapMb, flags)), false);
    }

    private static List<String> command(int heapMb, List<String> flags) {
        List<String> command = JvmFlags.node(heapMb);
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), NodeLoop.class.getName()));
        return command;
    }

    /** The directory of a host's media driver. */
    public static Path driverOf(Host host) {
        return host.folder().resolve("aeron");
    }

    /**
     * Launches a media driver in a node's JVM, and answers with its directory.
     *
     * @param directory directory of the driver
     * @param window    window of its receivers in bytes; 0 for the default
     */
    public record LaunchDriver(String directory, int window) implements NodeTask<String> {
        @Override
        public String run() {
            ChannelSettings channels = new ChannelSettings();
            if (window > 0) {
                channels.receiverWindow(window);
            }
            return NodeLoop.launch(
                            new Driver.Context().directory(Path.of(directory)).channels(channels))
                    .toString();
        }
    }

    /** Queues a task after the earlier ones. */
    @SuppressWarnings("unchecked") // the node answers with the result of the task
    public <T extends Serializable> Answer<T> order(NodeTask<T> task) {
        process.send(NodeLoop.word(task)); // if the process no longer reads, the answer has the reason
        return seconds -> {
            String line = awaitLine(seconds);
            try {
                return (T) NodeLoop.object(line.substring(NodeLoop.DONE.length()));
            } catch (IOException | ClassNotFoundException e) {
                throw new IllegalStateException(name + " answers with an unreadable line: " + e.getMessage(), e);
            }
        };
    }

    /**
     * Waits for the answer of a task, or for its end.
     *
     * @param seconds longest wait in seconds
     * @throws UnavailableException if the task fails, or its process ends or is silent
     * @throws InterruptedException if interrupted while waiting
     */
    public String awaitLine(long seconds) throws InterruptedException {
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
