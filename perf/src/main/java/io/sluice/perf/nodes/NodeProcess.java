package io.sluice.perf.nodes;

import io.sluice.perf.JvmFlags;
import io.sluice.perf.UnavailableException;
import io.sluice.perf.lab.Host;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A JVM on a host of the lab that runs a {@link NodeLoop}. It ends with its standard input, or with the lab. */
public final class NodeProcess {
    private static final String ENDED = "";

    private final String name;
    private final PrintWriter in;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    /**
     * Starts one; its standard error is this process's.
     *
     * @param host   where
     * @param main   class that runs the loop; its argument is the folder for its media driver
     * @param heapMb its heap at most
     * @throws IOException if there is no such process
     */
    public NodeProcess(Host host, Class<?> main, int heapMb) throws IOException {
        name = host.link().name().toString();
        List<String> command = JvmFlags.node(heapMb);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.add(driverOf(host).toString());
        Process process = host.process(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().name(name).start(() -> read(out));
    }

    /** Where the media driver of a host is. */
    public static Path driverOf(Host host) {
        return host.folder().resolve("aeron");
    }

    private void read(BufferedReader out) {
        try (out) {
            out.lines().forEach(answers::add);
        } catch (IOException | UncheckedIOException e) {
            // As good as an end.
        }
        answers.add(ENDED);
    }

    /**
     * Tells it what to do.
     *
     * @param order a line
     */
    public void tell(String order) {
        in.println(order);
    }

    /**
     * Waits for the words of its next line.
     *
     * @param seconds how long at most
     * @return the words
     * @throws UnavailableException if it fails, ends or says nothing
     * @throws InterruptedException if interrupted while waiting
     */
    public String[] answer(long seconds) throws InterruptedException {
        String line = answers.poll(seconds, TimeUnit.SECONDS);
        if (line == null) {
            throw new UnavailableException("the node on " + name + " has said nothing for " + seconds + " s");
        }
        if (line.equals(ENDED)) {
            throw new UnavailableException("the node on " + name + " has ended");
        }
        if (line.startsWith(NodeLoop.FAILED)) {
            throw new UnavailableException("the node on " + name + " failed: "
                    + line.substring(NodeLoop.FAILED.length()).strip());
        }
        return line.split(" ");
    }
}
