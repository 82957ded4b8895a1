package io.sluice.perf.lab;

import io.sluice.console.UnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Finds the labs of this machine by the names of their namespaces, and removes labs. */
public final class LabRemains {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final long POLL_NS = 10_000_000;
    private static final int ATTEMPTS = 3;

    private LabRemains() {}

    /**
     * All labs of this machine, including those whose process has ended.
     *
     * @throws UnavailableException if this machine or user cannot have labs
     */
    public static List<LabName> labs() {
        NetworkNamespaces.require();
        return NetworkNamespaces.names().stream()
                .map(LabName::ofNamespace)
                .flatMap(Optional::stream)
                .distinct()
                .toList();
    }

    /**
     * Removes the labs whose process has ended.
     *
     * @throws UnavailableException if this machine or user cannot have labs
     */
    public static List<LabName> removeStale() {
        List<LabName> stale =
                labs().stream().filter(lab -> !lab.isOwnerRunning()).toList();
        stale.forEach(LabRemains::remove);
        return stale;
    }

    /** Removes a lab: its processes, its folder, its namespaces with all devices. */
    static void remove(LabName lab) {
        try {
            endProcesses(lab);
        } finally {
            removeNetwork(lab);
        }
    }

    /** Requests every process of a lab to end, and kills those that still run after three seconds. */
    static void endProcesses(LabName lab) {
        List<String> namespaces = namespaces(lab);
        NetworkNamespaces.processesIn(namespaces).forEach(ProcessHandle::destroy);
        List<ProcessHandle> left = awaitEnd(namespaces);
        left.forEach(ProcessHandle::destroyForcibly);
        if (!left.isEmpty()) {
            awaitEnd(namespaces);
        }
    }

    /** Waits for all processes to end; returns those that still run. */
    private static List<ProcessHandle> awaitEnd(List<String> namespaces) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        List<ProcessHandle> left = NetworkNamespaces.processesIn(namespaces);
        while (!left.isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(POLL_NS);
            left = NetworkNamespaces.processesIn(namespaces);
        }
        return left;
    }

    /**
     * Removes the network of a lab after {@link #endProcesses}. The namespaces, which identify a lab, are removed last.
     */
    static void removeNetwork(LabName lab) {
        try {
            removeFolder(lab.folder());
        } finally {
            for (int attempt = 1; attempt <= ATTEMPTS && !namespaces(lab).isEmpty(); attempt++) {
                removeNamespaces(lab, attempt == ATTEMPTS);
            }
        }
    }

    /** Tries several times, because a second Ctrl-C in a terminal kills the tool that removes a namespace. */
    private static void removeNamespaces(LabName lab, boolean last) {
        for (String namespace : namespaces(lab)) {
            try {
                NetworkNamespaces.delete(namespace);
            } catch (UnavailableException e) {
                if (last) {
                    throw e;
                }
            }
        }
    }

    private static List<String> namespaces(LabName lab) {
        return NetworkNamespaces.names().stream().filter(lab::owns).toList();
    }

    private static void removeFolder(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // Another starting lab may have removed the same folder.
            if (Files.exists(folder)) {
                throw new UnavailableException("the folder " + folder + " cannot be removed: " + e.getMessage());
            }
        }
    }
}
