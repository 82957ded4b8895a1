package io.sluice.console;

/** The exit codes of the command line; they follow sysexits.h where it defines one. */
public final class ExitCode {
    /** The command succeeded. */
    public static final int OK = 0;

    /** The command ran to its end, but the result is not the expected one: replicas differ, for example. */
    public static final int FAILED = 1;

    /** The command line is wrong. */
    public static final int USAGE = 2;

    /** A file is missing, cannot be written or is not well-formed, or numbers of a training run are NaN or infinite. */
    public static final int DATA = 65;

    /** This machine lacks something that the command needs: a JDK, a port, memory, a media driver. */
    public static final int UNAVAILABLE = 69;

    /** A fault of the program itself. */
    public static final int INTERNAL = 70;

    /** The cluster failed: refused, incomplete, a node lost, or a protocol broken. */
    public static final int CLUSTER = 76;

    /** Interrupted by the user. */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
