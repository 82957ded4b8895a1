package io.sluice.perf;

/** How a measuring command ends; the numbers are those of all commands of {@code sluice}, see docs/reference.md. */
public final class ExitCode {
    /** The command succeeded. */
    public static final int OK = 0;

    /** The command ran to its end, and its result is not the expected one. */
    public static final int FAILED = 1;

    /** The command line is wrong. */
    public static final int USAGE = 2;

    /** A file is missing, cannot be written or is not well-formed. */
    public static final int DATA = 65;

    /** This machine lacks something that the command needs, such as memory. */
    public static final int UNAVAILABLE = 69;

    /** A fault of the program itself. */
    public static final int INTERNAL = 70;

    /** Interrupted by the user. */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
