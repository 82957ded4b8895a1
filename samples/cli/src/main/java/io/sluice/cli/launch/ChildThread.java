package io.sluice.cli.launch;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A node on a thread of this JVM. An interrupt ends it; a node that ignores the interrupt ends with the JVM. */
final class ChildThread extends Child {
    /** Exit code of a JVM whose main thread ends with an exception. */
    private static final int THROWN = 1;

    private final CompletableFuture<Integer> exit = new CompletableFuture<>();
    private final Thread thread;

    private ChildThread(String name, List<String> arguments, NodeMain main, Consumer<NodeEvent> events) {
        super(name);
        thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> run(arguments, main, events));
    }

    /**
     * Starts a child thread that runs a Sluice command.
     *
     * @param name name of the child and of its thread
     * @param arguments the command
     * @param main runs it
     * @param events receives its reports, on its threads
     */
    static ChildThread start(String name, List<String> arguments, NodeMain main, Consumer<NodeEvent> events) {
        ChildThread child = new ChildThread(name, arguments, main, events);
        child.thread.start();
        return child;
    }

    private void run(List<String> arguments, NodeMain main, Consumer<NodeEvent> events) {
        StringWriter said = new StringWriter();
        int code = THROWN;
        try (PrintWriter err = new PrintWriter(said)) {
            code = main.run(arguments, events, err);
        } catch (Throwable e) { // as the JVM does for a main thread: the job receives the exit code
            said.append(e.toString());
        }
        said.toString().lines().forEach(this::onErrorLine);
        exit.complete(code);
    }

    @Override
    CompletableFuture<Integer> onExit() {
        return exit;
    }

    /** Returns at once, because the output of a thread has been read when it ends. */
    @Override
    void awaitOutput() {}

    @Override
    int exitValue() {
        return exit.resultNow();
    }

    @Override
    boolean isAlive() {
        return !exit.isDone();
    }

    @Override
    void askToEnd() {
        thread.interrupt();
    }

    @Override
    void awaitEnd() {
        try {
            exit.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            return; // a thread cannot be killed: the cluster reports those that still run
        }
    }
}
