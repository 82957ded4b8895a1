package io.sluice.perf.nodes;

import io.sluice.perf.JvmFlags;
import io.sluice.perf.UnavailableException;
import io.sluice.perf.lab.Host;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
    private static final long PATIENCE_S = 30;

    private final String name;
    private final Process process;
    private final PrintWriter in;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private NodeProcess(String name, ProcessBuilder builder) throws IOException {
        this.name = name;
        process = builder.start();
        in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().name(name).start(() -> read(out));
    }

    /**
     * Starts one on a host of a lab, whose end it does not outlive; its standard error is this process's.
     *
     * @param host      where
     * @param main      class to run
     * @param heapMb    its heap at most
     * @param arguments of the class
     * @throws IOException if there is no such process
     */
    public static NodeProcess on(Host host, Class<?> main, int heapMb, Object... arguments) throws IOException {
        ProcessBuilder builder = host.process(command(main, heapMb, arguments)).redirectError(Redirect.INHERIT);
        return new NodeProcess(main.getSimpleName() + " on " + host.link().name(), builder);
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
     * Starts one beside this process. Its standard error is discarded: in a JVM with vectors the first line of that is
     * a warning.
     *
     * @param main      class to run
     * @param heapMb    its heap at most
     * @param arguments of the class
     * @throws IOException if there is no such process
     */
    public static NodeProcess local(Class<?> main, int heapMb, Object... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command(main, heapMb, arguments)).redirectError(Redirect.DISCARD);
        return new NodeProcess(main.getSimpleName(), builder);
    }

    private static List<String> command(Class<?> main, int heapMb, Object... arguments) {
        List<String> command = JvmFlags.node(heapMb);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Arrays.stream(arguments).map(String::valueOf).forEach(command::add);
        return command;
    }

    /** Where the media driver of a host is. */
    public static Path driverOf(Host host) {
        return host.folder().resolve("aeron");
    }

    private void read(BufferedReader out) {
        try (out) {
            out.lines().forEach(answers::add);
        } catch (IOException | UncheckedIOException e) {
            // The process has ended, which the line below tells.
        }
        answers.add(ENDED);
    }

    /**
     * Sends an order.
     *
     * @param words of the line
     */
    public void order(Object... words) {
        in.println(String.join(" ", Arrays.stream(words).map(String::valueOf).toList()));
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
            throw new UnavailableException(name + " has ended");
        }
        if (line.startsWith(NodeLoop.FAILED)) {
            throw new UnavailableException(name + " failed: "
                    + line.substring(NodeLoop.FAILED.length()).strip());
        }
        return line.split(" ");
    }

    /** Kills it (-9), and waits until it has ended. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends its standard input, waits until it has ended, and kills it after 30 s. */
    @Override
    public void close() {
        in.close();
        try {
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
