package io.sluice.perf.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a lab, the prefix of all its namespaces. It contains the id and the start time of the process, so the lab
 * of an ended process is recognised even when the id is in use again.
 *
 * @param started start time of that process, in kernel clock ticks since boot
 */
public record LabName(long pid, long started, int number) {
    private static final Pattern NAMESPACE = Pattern.compile("sluicelab-(\\d{1,10})-(\\d{1,18})-(\\d{1,9})-.+");
    private static final AtomicInteger MADE = new AtomicInteger();
    // Column of /proc/PID/stat, counted after the command's name, which may contain blanks and brackets.
    private static final int START_FIELD = 19;

    /** The name of a new lab of this process. */
    static LabName next() {
        long self = ProcessHandle.current().pid();
        long started = startOf(self).orElseThrow(() -> new IllegalStateException("/proc does not show this process"));
        return new LabName(self, started, MADE.getAndIncrement());
    }

    /** The lab to which a namespace belongs; empty if none. */
    static Optional<LabName> ofNamespace(String namespace) {
        Matcher matcher = NAMESPACE.matcher(namespace);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new LabName(
                Long.parseLong(matcher.group(1)),
                Long.parseLong(matcher.group(2)),
                Integer.parseInt(matcher.group(3))));
    }

    /** Whether the process that built the lab is still running. */
    public boolean isOwnerRunning() {
        return startOf(pid).filter(start -> start == started).isPresent();
    }

    /** The namespace with the switches. */
    String hub() {
        return this + "-hub";
    }

    /** The namespace of a host. */
    String host(int index) {
        return this + "-host" + index;
    }

    /** Whether a namespace is one of this lab's. */
    boolean owns(String namespace) {
        return namespace.startsWith(this + "-");
    }

    /** The parent folder of the hosts' folders. */
    Path folder() {
        Path memory = Path.of("/dev/shm");
        Path parent = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
        return parent.resolve(toString());
    }

    @Override
    public String toString() {
        return "sluicelab-" + pid + "-" + started + "-" + number;
    }

    private static Optional<Long> startOf(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            // A zombie still has an id but runs nothing.
            return "Z".equals(fields[0]) ? Optional.empty() : Optional.of(Long.parseLong(fields[START_FIELD]));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }
}
