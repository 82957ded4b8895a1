package io.sluice.perf.lab;

import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** The named network namespaces of this machine, as {@code ip netns} keeps them. */
final class NetworkNamespaces {
    private static final Path FOLDER = Path.of("/var/run/netns");
    private static final Path PROCESSES = Path.of("/proc");
    private static final String EFFECTIVE_ROOT = "Uid:\\s+\\d+\\s+0\\s.*";

    private NetworkNamespaces() {}

    /**
     * Checks that this machine and user can create namespaces.
     *
     * @throws UnavailableException that states what is missing
     */
    static void require() {
        String system = System.getProperty("os.name");
        if (!"linux".equals(system.toLowerCase(Locale.ROOT))) {
            throw new UnavailableException(
                    "the network lab needs Linux, whose network namespaces are its hosts; this is " + system);
        }
        if (!isRoot()) {
            throw new UnavailableException("the network lab needs root to create network namespaces; run it with sudo");
        }
        SystemCommand.path("ip");
        SystemCommand.path("tc");
    }

    private static boolean isRoot() {
        try (Stream<String> lines = Files.lines(PROCESSES.resolve("self/status"))) {
            return lines.anyMatch(line -> line.matches(EFFECTIVE_ROOT));
        } catch (IOException e) {
            return false;
        }
    }

    /** The file by which a namespace is entered. */
    static Path file(String name) {
        return FOLDER.resolve(name);
    }

    /** All names, including those of namespaces that belong to no lab. */
    static List<String> names() {
        if (!Files.isDirectory(FOLDER)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void add(String name) {
        SystemCommand.run(List.of(), "ip", "netns", "add", name);
    }

    /** Removes a namespace, its devices and their peers. */
    static void delete(String name) {
        SystemCommand.run(List.of(), "ip", "netns", "delete", name);
    }

    /** Processes whose first thread is in one of the namespaces; never this process. */
    static List<ProcessHandle> processesIn(List<String> names) {
        Set<String> inodes = new HashSet<>();
        for (String name : names) {
            try {
                inodes.add("net:[" + Files.getAttribute(file(name), "unix:ino") + "]");
            } catch (IOException gone) {
                // The namespace has been removed: no process is in it.
            }
        }
        List<ProcessHandle> found = new ArrayList<>();
        ProcessHandle.allProcesses()
                .filter(process -> process.pid() != ProcessHandle.current().pid())
                .filter(process -> inodes.contains(namespaceOf(process)))
                .forEach(found::add);
        return found;
    }

    private static String namespaceOf(ProcessHandle process) {
        try {
            Path link = PROCESSES.resolve(Long.toString(process.pid())).resolve("ns/net");
            return Files.readSymbolicLink(link).toString();
        } catch (IOException gone) {
            return "";
        }
    }
}
