package io.sluice.consistency.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.ChildNode;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

@Timeout(240)
@Isolated("looks for threads of this process")
class LocalClusterTest {
    private static ClusterSettings terms() {
        return ClusterSettings.builder().servers(2).workers(3).sliceElements(2).build();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try (Stream<Path> all = Files.list(new Driver.Context().directory().getParent())) {
            assertEquals(
                    List.of(),
                    all.filter(each -> each.getFileName().toString().startsWith("sluice-local-"))
                            .toList());
        }
    }

    private static Table start(Worker worker) {
        Table table = worker.table("w", 1, 4);
        worker.start(Initialiser.ZEROS);
        return table;
    }

    @Test
    void allWorkersHaveTheSumOfAllUpdates() throws InterruptedException {
        Map<Integer, float[]> replicas = new ConcurrentHashMap<>();
        List<ServerReport> reports = LocalCluster.run(terms(), worker -> {
            Table table = start(worker);
            for (int clock = 0; clock < 10; clock++) {
                table.sync();
                table.update(new int[] {worker.index()}, new float[] {1});
                worker.clock();
            }
            worker.drain();
            float[] replica = new float[4];
            table.view().copyTo(0, replica);
            replicas.put(worker.index(), replica);
        });
        assertEquals(2, reports.size());
        assertEquals(3, replicas.size());
        replicas.values().forEach(replica -> assertArrayEquals(new float[] {10, 10, 10, 0}, replica));
    }

    @Test
    void removesTheDirectoryOfAKilledProcess() throws IOException, InterruptedException {
        Path left = new Driver.Context().directory().resolveSibling("sluice-local-killed");
        try (ChildNode driver = ChildNode.driver(left).awaitReady()) {
            driver.kill();
        }
        assertTrue(Files.exists(left));
        LocalCluster.run(terms(), worker -> {
            start(worker);
            worker.drain();
        });
        assertFalse(Files.exists(left));
    }

    @Test
    void whatATrainerThrowsEndsTheJobAndReachesTheCaller() {
        IllegalStateException mistake = new IllegalStateException("no more data");
        LocalCluster.Trainer fails = worker -> {
            Table table = start(worker);
            for (int clock = 0; clock < 1_000_000; clock++) {
                if (worker.index() == 1 && clock == 5) {
                    throw mistake;
                }
                table.sync();
                worker.clock();
            }
        };
        assertSame(mistake, assertThrows(IllegalStateException.class, () -> LocalCluster.run(terms(), fails)));
    }

    @Test
    void aTrainerThatReturnsWithoutDrainOrLeaveEndsTheJob() {
        LocalCluster.Trainer undeclared = worker -> {
            Table table = start(worker);
            table.sync();
            worker.clock();
            if (worker.index() != 1) {
                worker.drain();
            }
        };
        ClusterException thrown = assertThrows(ClusterException.class, () -> LocalCluster.run(terms(), undeclared));
        assertTrue(
                thrown.getMessage().matches(".*worker 1: .*closed before drain\\(\\) or leave\\(\\).*"),
                thrown.getMessage());
    }

    @Test
    void aTrainerMayLeaveInsteadOfDraining() throws InterruptedException {
        List<ServerReport> reports = LocalCluster.run(terms(), worker -> {
            Table table = start(worker);
            table.sync();
            worker.clock();
            worker.leave();
        });
        assertEquals(2, reports.size());
    }

    @Test
    void aCheckedExceptionIsTheCause() {
        Throwable thrown = assertThrows(
                CompletionException.class,
                () -> LocalCluster.run(terms(), _ -> {
                    throw new IOException("no file");
                }));
        assertInstanceOf(IOException.class, thrown.getCause());
    }

    @Test
    void anInterruptEndsAllNodes() throws InterruptedException {
        CountDownLatch training = new CountDownLatch(3);
        Thread caller = Thread.ofPlatform().start(() -> {
            assertThrows(
                    InterruptedException.class,
                    () -> LocalCluster.run(terms(), worker -> {
                        Table table = start(worker);
                        training.countDown();
                        while (true) {
                            table.sync();
                            worker.clock();
                        }
                    }));
        });
        training.await();
        caller.interrupt();
        caller.join();
        assertTrue(Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("sluice-local-")));
    }
}
