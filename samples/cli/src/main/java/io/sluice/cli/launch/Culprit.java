package io.sluice.cli.launch;

import io.sluice.console.ExitCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Finds the node whose failure ends a job. When a node fails, others also end, and any of them may end before it. */
final class Culprit {
    /** Maximum time by which a node that fails may end after a node that ends as a consequence. */
    private static final long PATIENCE_MS = 1_000;

    private Culprit() {}

    /**
     * Waits a moment for a node with a better reason than the first one that ended. A worker finds numbers that are not
     * finite, and the coordinating server ends with the same exit code. Of nodes that fail together, those with {@link
     * ExitCode#CLUSTER} report only that others failed.
     *
     * @param first        first node that ended with an error
     * @param workers      all workers
     * @param all          all nodes
     * @param failTogether whether all nodes end when one fails
     * @return the node, which has ended
     */
    static CompletableFuture<Child> of(Child first, List<Child> workers, List<Child> all, boolean failTogether) {
        int code = first.exitValue();
        if (code == ExitCode.DATA && !workers.contains(first)) {
            return find(workers, child -> child.exitValue() == ExitCode.DATA, first);
        }
        if (code == ExitCode.CLUSTER && failTogether) {
            return find(
                    all,
                    child -> child.exitValue() != 0 && child.exitValue() != ExitCode.CLUSTER && !child.wasAskedToEnd(),
                    first);
        }
        return CompletableFuture.completedFuture(first);
    }

    private static CompletableFuture<Child> find(List<Child> nodes, Predicate<Child> isCulprit, Child otherwise) {
        CompletableFuture<Child> found = new CompletableFuture<>();
        CompletableFuture<?>[] ends = nodes.stream()
                .map(child -> child.onExit().thenRun(() -> {
                    if (isCulprit.test(child)) {
                        found.complete(child);
                    }
                }))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(ends).thenRun(() -> found.complete(otherwise));
        return found.completeOnTimeout(otherwise, PATIENCE_MS, TimeUnit.MILLISECONDS);
    }
}
