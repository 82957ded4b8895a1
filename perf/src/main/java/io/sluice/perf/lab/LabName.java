package io.sluice.perf.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a lab, which all its namespaces begin with. It tells whose it is: the process, and when that started, so
 * that the lab of a process that is gone is known as such even when the number of the process is in use again.
 *
 * @param pid process that made the lab
 * @param started when that process started, in ticks of the kernel's clock since the machine did
 * @param number of the lab in that process
 */
public record LabName(long pid, long started, int number) {
    private static final Pattern NAMESPACE = Pattern.compile("sluicelab-(\\d{1,10})-(\\d{1,18})-(\\d{1,9})-.+");
    private static final AtomicInteger MADE = new AtomicInteger();
    // In /proc/PID/stat, counted from behind the command's name, which may hold blanks and brackets itself.
    private static final int START_FIELD = 19;

    /** The name of a new lab of this process. */
    static LabName next() {
        long self = ProcessHandle.current().pid();
        long started = startOf(self).orElseThrow(() -> new IllegalStateException("/proc does not show this process"));
        return new LabName(self, started, MADE.getAndIncrement());
    }

    /** The lab that a namespace belongs to; empty if to none. */
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

    /** Whether the process that made it is still there. */
    public boolean hasOwner() {
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

    /** The folder that the hosts' own folders are in. */
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
            // A killed process that its parent has not yet asked after still has a number, but runs nothing.
            return "Z".equals(fields[0]) ? Optional.empty() : Optional.of(Long.parseLong(fields[START_FIELD]));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }
}
