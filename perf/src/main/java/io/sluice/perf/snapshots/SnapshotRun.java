package io.sluice.perf.snapshots;

import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Driver;
import io.sluice.messaging.counters.CounterType;
import io.sluice.perf.UnavailableException;
import io.sluice.perf.exchange.LocalNodes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32C;

/** Trains a model for some clocks, with snapshots or without, in a cluster of one server on this host. */
final class SnapshotRun {
    private static final double NS = 1e9;
    private static final int LIVENESS_MS = 20_000;
    private static final int WARMUP = 1;
    private static final int CHUNK = 1 << 18;
    private static final long PATIENCE_S = 180;

    private final SnapshotsPlan plan;
    private final PartialUpdates updates;

    SnapshotRun(SnapshotsPlan plan) {
        this.plan = plan;
        this.updates = new PartialUpdates(plan.params(), plan.changed());
    }

    /**
     * Trains once.
     *
     * @throws UnavailableException if a node fails
     */
    SnapshotTurn turn(SnapshotWay way) throws InterruptedException {
        ClusterSettings terms = ClusterSettings.builder()
                .servers(1)
                .workers(plan.workers())
                .filter(PartialUpdates.FILTER)
                .livenessMs(LIVENESS_MS)
                .build();
        CyclicBarrier end = new CyclicBarrier(plan.workers());
        try (Driver driver = SnapshotDriver.launch();
                SnapshotSpace space = new SnapshotSpace(plan.folder())) {
            Path directory = driver.directory();
            return LocalNodes.run(directory, terms, server -> keep(server, way, space), context -> {
                        keep(context, way, space);
                        return train(context, directory, end);
                    })
                    .workers()
                    .getFirst();
        } catch (ExecutionException e) {
            throw new UnavailableException("a node failed: " + e.getCause().getMessage());
        }
    }

    private static void keep(ServerContext server, SnapshotWay way, SnapshotSpace space) {
        if (way.takesAny()) {
            server.snapshots(space.folder()).retention(way.retention());
            server.takeSnapshots(way.parsed(), false);
        }
    }

    private static void keep(WorkerContext worker, SnapshotWay way, SnapshotSpace space) {
        if (way.takesAny()) {
            worker.snapshots(space.folder()).retention(way.retention());
        }
    }

    private SnapshotTurn train(WorkerContext context, Path driver, CyclicBarrier end) {
        try (Worker worker = Worker.connect(context)) {
            Table table = worker.table("model", 1, plan.params());
            worker.start(PartialUpdates::initial);
            double[] seconds = new double[plan.clocks()];
            for (int clock = 0; clock < WARMUP + plan.clocks(); clock++) {
                long startNs = System.nanoTime();
                table.sync();
                table.update(updates.update());
                worker.clock();
                if (clock >= WARMUP) {
                    seconds[clock - WARMUP] = (System.nanoTime() - startNs) / NS;
                }
            }
            worker.drain();
            await(end);
            SnapshotTurn turn = 0 == worker.index() ? costs(driver, seconds, hash(table)) : null;
            await(end); // counters go with their nodes
            return turn;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted");
        }
    }

    private static void await(CyclicBarrier barrier) throws InterruptedException {
        try {
            barrier.await(PATIENCE_S, TimeUnit.SECONDS);
        } catch (BrokenBarrierException | TimeoutException e) {
            throw new UnavailableException("another worker has failed");
        }
    }

    private static SnapshotTurn costs(Path driver, double[] seconds, int hash) throws InterruptedException {
        NodeCosts.awaitQuiet(driver);
        Map<String, Long> saved = NodeCosts.of(driver, CounterType.NODE_SNAPSHOTS);
        long bytes = sum(NodeCosts.of(driver, CounterType.NODE_SNAPSHOT_BYTES));
        Map<String, Long> taking = NodeCosts.of(driver, CounterType.NODE_SNAPSHOT_TIME);
        double longest = 0;
        for (Map.Entry<String, Long> node : taking.entrySet()) {
            long times = saved.getOrDefault(node.getKey(), 0L);
            longest = Math.max(longest, 0 == times ? 0 : node.getValue() / NS / times);
        }
        List<Long> copies = new ArrayList<>(
                NodeCosts.of(driver, CounterType.NODE_SNAPSHOT_COPY_TIME).values());
        long copyNs = copies.stream().mapToLong(Long::longValue).max().orElse(0);
        long fewest = saved.values().stream().mapToLong(Long::longValue).min().orElse(0);
        return new SnapshotTurn(seconds, fewest, bytes, copyNs / NS, longest, hash);
    }

    private static long sum(Map<String, Long> values) {
        return values.values().stream().mapToLong(Long::longValue).sum();
    }

    private static int hash(Table table) {
        CRC32C hash = new CRC32C();
        var bytes = table.view().segment();
        for (long at = 0; at < bytes.byteSize(); at += CHUNK) {
            hash.update(
                    bytes.asSlice(at, Math.min(CHUNK, bytes.byteSize() - at)).asByteBuffer());
        }
        return (int) hash.getValue();
    }
}
