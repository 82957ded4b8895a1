package io.sluice.perf.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.console.UnavailableException;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.LabRoot;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class HostTasksTest {
    /** A task is inside its host, and so is a thread that it starts. */
    @Test
    void runsInsideTheHost() throws IOException, InterruptedException {
        LabRoot.assume();
        try (Lab lab = Lab.build(new LabPlan().hosts(2));
                HostTasks tasks = new HostTasks(0)) {
            FutureTask<Boolean> own = tasks.start(lab.host(1), "own", () -> {
                FutureTask<Boolean> inner =
                        new FutureTask<>(() -> hasAddress(lab.host(1).address()));
                Thread.ofPlatform().start(inner);
                return inner.get();
            });
            FutureTask<Boolean> other = tasks.start(
                    lab.host(0), "other", () -> hasAddress(lab.host(1).address()));
            assertEquals(List.of(true, false), tasks.results(List.of(own, other)));
        }
    }

    private static boolean hasAddress(String address) throws IOException {
        return NetworkInterface.getByInetAddress(InetAddress.getByName(address)) != null;
    }

    @Test
    void noTaskWaitsForAFailedOne() throws IOException, InterruptedException {
        LabRoot.assume();
        try (Lab lab = Lab.build(new LabPlan().hosts(2));
                HostTasks tasks = new HostTasks(2)) {
            FutureTask<Void> waits = tasks.start(lab.host(0), "node a", () -> {
                tasks.rendezvous().await();
                return null;
            });
            FutureTask<Void> fails = tasks.start(lab.host(1), "node b", () -> {
                throw new IllegalStateException("no luck");
            });
            assertThrows(CancellationException.class, () -> tasks.rendezvous().await());
            UnavailableException failure =
                    assertThrows(UnavailableException.class, () -> tasks.results(List.of(waits, fails)));
            assertEquals("node b failed: no luck", failure.getMessage());
        }
    }
}
