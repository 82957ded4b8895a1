package io.sluice.perf.nodes;

import io.sluice.perf.JvmFlags;
import io.sluice.perf.UnavailableException;
import io.sluice.perf.lab.Host;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of its own for a node of an experiment. It gets orders as lines on its standard input and answers with lines on
 * its standard output; it has to end when its standard input does, as a {@link NodeLoop} does.
 */
public final class NodeProcess implements AutoCloseable {
    private static final String ENDED = "";
    private static final long START_S = 60;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name;
    private final ChildProcess process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private volatile String complaint = "";

    private NodeProcess(String name, ProcessBuilder builder, boolean forwarding) throws IOException {
        this.name = name;
        process = new ChildProcess(
                name, builder, answers::add, line -> complain(line, forwarding), () -> answers.add(ENDED));
    }

    /** Keeps the first line on standard error, but for what every JVM with an incubator module says. */
    private void complain(String line, boolean forwarding) {
        if (!line.startsWith("WARNING: ")) {
            complaint = complaint.isEmpty() ? ": " + line : complaint;
            if (forwarding) {
                System.err.println(line);
            }
        }
    }

    /**
     * Starts one on a host of a lab, whose end it does not outlive; its complaints on standard error are shown.
     *
     * @param host      where
     * @param main      class to run
     * @param heapMb    its heap at most
     * @param arguments of the class
     * @throws IOException if there is no such process
     */
    public static NodeProcess on(Host host, Class<?> main, int heapMb, Object... arguments) throws IOException {
        ProcessBuilder builder = host.process(command(main, heapMb, List.of(), arguments));
        return new NodeProcess(main.getSimpleName() + " on " + host.link().name(), builder, true);
    }

    /**
     * Starts one on each host, which runs a {@link NodeLoop}, and waits until all of them are ready.
     *
     * @param hosts  where
     * @param main   class to run; its argument is the folder for its media driver
     * @param heapMb its heap at most
     * @return one for each host, in the order of these
     * @throws IOException if there is no such process
     * @throws InterruptedException if interrupted while waiting
     */
    public static List<NodeProcess> onAll(List<Host> hosts, Class<?> main, int heapMb)
            throws IOException, InterruptedException {
        List<NodeProcess> nodes = new ArrayList<>();
        for (Host host : hosts) {
            nodes.add(on(host, main, heapMb, driverOf(host)));
        }
        for (NodeProcess node : nodes) {
            node.answer(START_S);
        }
        return nodes;
    }

    /**
     * Starts one beside this process.
     *
     * @param name      for messages
     * @param main      class to run
     * @param heapMb    its heap at most
     * @param flags     of its JVM, besides those of all
     * @param arguments of the class
     * @throws IOException if there is no such process
     */
    public static NodeProcess local(String name, Class<?> main, int heapMb, List<String> flags, Object... arguments)
            throws IOException {
        return new NodeProcess(name, new ProcessBuilder(command(main, heapMb, flags, arguments)), false);
    }

    private static List<String> command(Class<?> main, int heapMb, List<String> flags, Object... arguments) {
        List<String> command = JvmFlags.node(heapMb);
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Arrays.stream(arguments).map(String::valueOf).forEach(command::add);
        return command;
    }

    /** Where the media driver of a host is. */
    public static Path driverOf(Host host) {
        return host.folder().resolve("aeron");
    }

    /**
     * Sends an order. Whether the process still hears it, its answer tells.
     *
     * @param words of the line
     */
    public void order(Object... words) {
        process.send(String.join(" ", Arrays.stream(words).map(String::valueOf).toList()));
    }

    /**
     * Waits for the words of its next line.
     *
     * @param seconds how long at most
     * @return the words
     * @throws UnavailableException if it fails, ends or is silent
     * @throws InterruptedException if interrupted while waiting
     */
    public String[] answer(long seconds) throws InterruptedException {
        String line = answers.poll(seconds, TimeUnit.SECONDS);
        if (line == null) {
            throw new UnavailableException(name + " has been silent for " + seconds + " s");
        }
        if (line.equals(ENDED)) {
            process.await(PATIENCE);
            process.awaitLines(PATIENCE);
            throw new UnavailableException(name + " has ended" + complaint);
        }
        if (line.startsWith(NodeLoop.FAILED)) {
            throw new UnavailableException(name + " failed: "
                    + line.substring(NodeLoop.FAILED.length()).strip());
        }
        return line.split(" ");
    }

    /** Kills it (-9), and waits until it has ended. */
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
