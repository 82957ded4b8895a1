package io.sluice.cli.launch;

import static org.junit.jupiter.api.Assertions.assertSame;

import io.sluice.console.ExitCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Children end one after another, the first of them for the reason of another. */
@Timeout(30)
class CulpritTest {
    private final CountDownLatch release = new CountDownLatch(1);

    private static Child ended(String name, int code) {
        Child child = ChildThread.start(name, List.of(), (arguments, job, err) -> code, event -> {});
        child.onExit().join();
        return child;
    }

    private Child ending(String name, int code) {
        return ChildThread.start(
                name,
                List.of(),
                (arguments, job, err) -> {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        return ExitCode.UNAVAILABLE;
                    }
                    return code;
                },
                event -> {});
    }

    private Child find(Child first, Child worker, boolean together) {
        CompletableFuture<Child> culprit = Culprit.of(first, List.of(worker), List.of(first, worker), together);
        release.countDown();
        return culprit.join();
    }

    @Test
    void aWorkerWithABadNumberCountsThoughTheServerEndsFirst() {
        Child worker = ending("worker 0", ExitCode.DATA);
        assertSame(worker, find(ended("server 0", ExitCode.DATA), worker, false));
    }

    @Test
    void aServerWithABadFileCountsIfNoWorkerHasOne() {
        Child server = ended("server 0", ExitCode.DATA);
        assertSame(server, find(server, ending("worker 0", ExitCode.CLUSTER), false));
    }

    @Test
    void aNodeThatFailsCountsThoughAnotherEndsFirstWhereAllFailTogether() {
        Child worker = ending("worker 0", ExitCode.UNAVAILABLE);
        assertSame(worker, find(ended("server 0", ExitCode.CLUSTER), worker, true));
    }

    @Test
    void theFirstCountsWhereNodesEndByThemselves() {
        Child server = ended("server 0", ExitCode.CLUSTER);
        assertSame(server, find(server, ending("worker 0", ExitCode.UNAVAILABLE), false));
    }

    @Test
    void theFirstCountsIfTheOthersDoNotEnd() {
        Child server = ended("server 0", ExitCode.DATA);
        Child worker = ending("worker 0", ExitCode.DATA);
        assertSame(
                server,
                Culprit.of(server, List.of(worker), List.of(server, worker), false)
                        .join());
    }
}
