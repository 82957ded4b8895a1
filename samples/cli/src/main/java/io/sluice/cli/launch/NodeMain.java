package io.sluice.cli.launch;

import java.io.PrintWriter;
import java.util.List;
import java.util.function.Consumer;

/** Runs the command of a node on the calling thread, as the main method of a JVM of its own would. */
@FunctionalInterface
public interface NodeMain {
    /**
     * Runs a node from its start to its end.
     *
     * @param arguments the command
     * @param events receives what the node reports, on any thread
     * @param err the node's standard error
     * @return the exit code
     */
    int run(List<String> arguments, Consumer<NodeEvent> events, PrintWriter err);
}
