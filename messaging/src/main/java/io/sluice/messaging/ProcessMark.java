package io.sluice.messaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Identifies the process of a media driver, so that a later process with the same number is not mistaken for it. Linux
 * counts the start of a process in ticks since boot, which setting the system's clock does not change.
 *
 * @param namespace namespace in which the process has its number, as {@code /proc} names it; empty where there is none.
 * @param pid process id.
 * @param startTicks time at which the process started, in ticks since boot.
 */
record ProcessMark(String namespace, long pid, long startTicks) {
    /** Name of the file in a driver's directory. */
    static final String FILE = "process";

    private static final ProcessMark UNKNOWN = new ProcessMark("", 0, 0);

    /**
     * Index of the start time in {@code /proc/PID/stat}, counted from the field after the command, which is in
     * parentheses.
     */
    private static final int START_FIELD = 20;

    /** The state of a zombie in {@code /proc/PID/stat}. */
    private static final String ENDED = "Z";

    private static ProcessMark ofThisProcess() {
        long pid = ProcessHandle.current().pid();
        return new ProcessMark(currentNamespace(), pid, startTicks(pid));
    }

    /** Writes the mark of this process into its driver's directory. */
    static void leaveIn(Path directory) throws IOException {
        ProcessMark mark = ofThisProcess();
        Files.writeString(directory.resolve(FILE), mark.namespace + " " + mark.pid + " " + mark.startTicks);
    }

    /** Reads the mark of the driver in a directory; an unknown mark if there is none. */
    static ProcessMark of(Path directory) {
        try {
            String[] fields = Files.readString(directory.resolve(FILE)).split(" ", -1);
            return new ProcessMark(fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]));
        } catch (IOException | IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            return UNKNOWN; // the driver belongs to another program, or is starting or ending
        }
    }

    /** Whether this process could detect the marked process if that still ran. */
    boolean isOfThisNamespace() {
        return !namespace.isEmpty() && namespace.equals(currentNamespace());
    }

    /** Whether the marked process is still running; a zombie is not. */
    boolean isAlive() {
        return startTicks == startTicks(pid);
    }

    private static String currentNamespace() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /** The start time of a process in ticks; -1 if it is not running. */
    private static long startTicks(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return ENDED.equals(fields[0]) ? -1 : Long.parseLong(fields[START_FIELD - 1]);
        } catch (IOException e) {
            return -1;
        }
    }
}
