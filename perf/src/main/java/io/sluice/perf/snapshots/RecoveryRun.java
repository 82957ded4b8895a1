package io.sluice.perf.snapshots;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Driver;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.Routes;
import io.sluice.perf.UnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Kills a server of a training under {@link DeathPolicy#WAIT} and starts it again: two servers share the parameters,
 * one of them is a process of its own.
 */
final class RecoveryRun {
    private static final double NS = 1e9;
    private static final int VICTIM = 1;
    private static final int NODES = 3;
    private static final long LOOK_MS = 5;
    private static final long PATIENCE_S = 180;

    /** What was on its way when the server was killed has come by then; a process needs longer to start. */
    private static final long SETTLE_MS = 150;

    private final SnapshotsPlan plan;
    private final PartialUpdates updates;
    private volatile boolean enough;
    private volatile long version;
    private volatile long versionNs;

    /** Prepares a run of as many parameters as two servers share. */
    RecoveryRun(SnapshotsPlan plan) {
        this.plan = plan.withTwoServers();
        this.updates = new PartialUpdates(this.plan.params(), plan.changed());
    }

    /**
     * Runs it.
     *
     * @throws UnavailableException if a node fails, or the server does not come back
     */
    RecoveryRow run() throws IOException, InterruptedException {
        Endpoint loopback = new Endpoint("127.0.0.1", 0);
        String cluster = loopback.withPort(Routes.freePort(loopback)).toString();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        Process victim = null;
        try (Driver media = SnapshotDriver.launch();
                SnapshotSpace space = new SnapshotSpace(plan.folder())) {
            Path driver = media.directory();
            try {
                Future<?> served = threads.submit(() -> serve(cluster, driver, space.folder()));
                Future<?> trained = threads.submit(() -> train(cluster, driver, space.folder()));
                victim = SnapshotServer.start(cluster, driver, VICTIM, space.folder());
                await(
                        () -> NodeCosts.snapshots(driver, NODES) >= 2 && version > plan.every(),
                        "two snapshots are saved",
                        served,
                        trained);
                long killedNs = System.nanoTime();
                victim.destroyForcibly().waitFor();
                long startedNs = System.nanoTime();
                victim = SnapshotServer.start(cluster, driver, VICTIM, space.folder());
                Thread.sleep(SETTLE_MS);
                long before = version;
                await(() -> version > before, "the server is back", served, trained);
                long backNs = versionNs;
                enough = true;
                trained.get(PATIENCE_S, TimeUnit.SECONDS);
                served.get(PATIENCE_S, TimeUnit.SECONDS);
                return new RecoveryRow(
                        "recovery",
                        plan.params() / 2,
                        plan.changed(),
                        plan.every(),
                        before,
                        (backNs - startedNs) / NS,
                        (backNs - killedNs) / NS);
            } catch (ExecutionException | TimeoutException e) {
                throw new UnavailableException("a node failed: " + (e.getCause() == null ? e : e.getCause()));
            } finally {
                threads.shutdownNow();
                threads.close();
                if (null != victim) {
                    victim.destroyForcibly().waitFor();
                }
            }
        }
    }

    private static void await(BooleanSupplier condition, String what, Future<?>... nodes)
            throws InterruptedException, ExecutionException {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            for (Future<?> node : nodes) {
                if (node.isDone()) {
                    node.get();
                    throw new UnavailableException("a node has ended before " + what);
                }
            }
            if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(PATIENCE_S)) {
                throw new UnavailableException("after " + PATIENCE_S + " s it is not so that " + what);
            }
            Thread.sleep(LOOK_MS);
        }
    }

    private void serve(String cluster, Path driver, Path folder) {
        ClusterSettings terms = ClusterSettings.builder()
                .servers(2)
                .workers(1)
                .filter(PartialUpdates.FILTER)
                .onDeath(DeathPolicy.WAIT)
                .build();
        ServerContext context = new ServerContext()
                .cluster(cluster)
                .aeronDirectory(driver)
                .index(0)
                .snapshots(folder)
                .coordinate(terms)
                .takeSnapshots(new SnapshotInterval(plan.every(), 0), false);
        try (Server server = Server.launch(context)) {
            server.run();
        }
    }

    private void train(String cluster, Path driver, Path folder) {
        WorkerContext context = new WorkerContext()
                .cluster(cluster)
                .aeronDirectory(driver)
                .index(0)
                .snapshots(folder);
        try (Worker worker = Worker.connect(context)) {
            Table table = worker.table("model", 2, plan.params() / 2);
            worker.start(PartialUpdates::initial);
            while (!enough) {
                table.sync();
                versionNs = System.nanoTime();
                version = table.version();
                table.update(updates.update());
                worker.clock();
            }
            worker.drain();
        } catch (ClusterException e) {
            throw new UnavailableException(e.getMessage());
        }
    }
}
