package io.sluice.cli.launch;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** One node of the cluster, in a process of its own or on a thread of this one, from its start to its end. */
abstract sealed class Child permits ChildProcess, ChildThread {
    /** Time to read a child's output, and time for a child to end after a request. */
    static final long PATIENCE_SECONDS = 5;

    /** Exit code of a node that a signal has ended, less the number of the signal. */
    private static final int KILLED = 128;

    /** Exit codes of SIGHUP, SIGINT and SIGTERM. */
    private static final Set<Integer> ASKED_TO_END = Set.of(KILLED + 1, KILLED + 2, KILLED + 15);

    private static final String OWN_LINE = "sluice: ";

    private final String name;
    private volatile String firstError = "";
    private volatile String ownError = "";

    Child(String name) {
        this.name = name;
    }

    final String name() {
        return name;
    }

    /** Completes when the node has ended, on any thread. */
    abstract CompletableFuture<?> onExit();

    /** Waits until all its output is read. */
    abstract void awaitOutput() throws InterruptedException;

    /** The exit code of the node. */
    abstract int exitValue();

    abstract boolean isAlive();

    /** Requests the end of the node, which then leaves in order, because the whole job ends. */
    abstract void askToEnd();

    /** Waits until the node has ended, and ends it if it takes too long and can be killed. */
    abstract void awaitEnd();

    /** Whether the node was requested to end, for example by Ctrl-C or {@code kill}. */
    final boolean wasAskedToEnd() {
        return ASKED_TO_END.contains(exitValue());
    }

    /** Whether a signal has ended the node. */
    final boolean isKilled() {
        return exitValue() > KILLED;
    }

    /** How the node ended: its message, or the signal or exit code. */
    final String ending() {
        int code = exitValue();
        String said = error();
        String how = isKilled() ? "was ended by signal " + (code - KILLED) : "failed with exit code " + code;
        return said.isEmpty() || isKilled() ? name + " " + how : name + ": " + said;
    }

    /**
     * The reason of its failure, from its standard error: the last line of the form that the command writes, or
     * otherwise, of a stack trace, the first line that is not a warning of the JVM itself.
     */
    final String error() {
        return ownError.isEmpty() ? firstError : ownError;
    }

    /** Processes a line of its standard error. */
    final void onErrorLine(String line) {
        if (line.startsWith(OWN_LINE)) {
            ownError = line.substring(OWN_LINE.length());
        } else if (firstError.isEmpty() && !line.isBlank() && !line.startsWith("WARNING:")) {
            firstError = line;
        }
    }
}
