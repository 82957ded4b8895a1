package io.sluice.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sluice.console.ExitCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Children end one after another, the first of them for the reason of another. */
@Timeout(30)
class CulpritTest {
    private static final int ASKED_TO_END = 128 + 15; // SIGTERM

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

    static List<Arguments> serverEndsBeforeWorker() {
        return List.of(
                arguments("both found bad data", ExitCode.DATA, ExitCode.DATA, false, "worker 0"),
                arguments("only the server found bad data", ExitCode.DATA, ExitCode.CLUSTER, false, "server 0"),
                arguments("the worker is the reason", ExitCode.CLUSTER, ExitCode.UNAVAILABLE, true, "worker 0"),
                arguments("each ends by itself", ExitCode.CLUSTER, ExitCode.UNAVAILABLE, false, "server 0"),
                arguments("the worker was asked to end", ExitCode.CLUSTER, ASKED_TO_END, true, "server 0"),
                arguments("the worker has finished", ExitCode.CLUSTER, ExitCode.OK, true, "server 0"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("serverEndsBeforeWorker")
    void theCulpritIsTheNodeWithTheBetterReason(String what, int server, int worker, boolean together, String culprit) {
        assertEquals(
                culprit,
                find(ended("server 0", server), ending("worker 0", worker), together)
                        .name());
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
